"""Blind policies: they see a question and its options, never the context.

On a sound benchmark all of them are at chance. A policy gives every option a score and takes the
highest; a tie earns its share, so figures do not hang on an arbitrary order. Policies that learn
answer in stages; see ``predictions``.

Rows that share question and options (a quad of ours) are scored once, and a classifier weighs them
instead of reading them again: the same figures in a quarter of the time.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from threadpoolctl import threadpool_limits

from personamem.dataset_builder.audit.folds import Rows, deal_groups, deal_rows
from personamem.dataset_builder.audit.predictions import (
    Prediction,
    predict_at_once,
    predict_in_stages,
)
from personamem.dataset_builder.core.items import READ_LETTERS, Item, Scores

FOLDS = 5
"""A classifier learns on one, then two, three and four of them."""

EMBEDDING_SIZE = 64
PAIR_FEATURES_MIN_COUNT = 2


class Wordings:
    """The questions of a split, and their distinct wordings: question, options and type.

    ``of_row[i]`` is the number of row i's wording; ``starts[w]`` the first option of wording w in
    ``options``, which are cut to ``READ_LETTERS`` (``choices`` are not). Vectors are made when a
    policy first wants them.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        """Find the distinct wordings of ``items``."""
        self.items = tuple(items)
        numbers: dict[tuple[str, str, tuple[str, ...]], int] = {}
        self.of_row = np.array(
            [
                numbers.setdefault((item.question_type, item.question, item.options), len(numbers))
                for item in items
            ],
            dtype=np.int64,
        )
        self.types = [question_type for question_type, _, _ in numbers]
        self.questions = [question[:READ_LETTERS] for _, question, _ in numbers]
        self.choices = [options for _, _, options in numbers]
        self.options = [option[:READ_LETTERS] for options in self.choices for option in options]
        self.starts = np.cumsum([0, *map(len, self.choices)])

    def deal_groups(self) -> list[Rows]:
        """Return folds that keep the rows of a group together."""
        return deal_groups([item.group for item in self.items], FOLDS)

    def block(self, wording: int) -> slice:
        """Return where the options of a wording stand in ``options``."""
        return slice(int(self.starts[wording]), int(self.starts[wording + 1]))

    @cached_property
    def of_option(self) -> NDArray[np.int64]:
        """The number of each option's wording."""
        return np.repeat(np.arange(len(self.choices)), np.diff(self.starts))

    def spread(self, scores: NDArray[np.float64]) -> Scores:
        """Return the scores of the options as scores of the rows."""
        blocks = np.split(scores, self.starts[1:-1])
        return [blocks[wording] for wording in self.of_row]

    @cached_property
    def word_vectorizer(self) -> TfidfVectorizer:
        """Tf-idf over the words of questions and options."""
        vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
        return vectorizer.fit([*self.questions, *self.options, "nothing"])

    @cached_property
    def word_vectors(self) -> csr_matrix:
        """One row an option."""
        return self.word_vectorizer.transform(self.options)

    @cached_property
    def pair_features(self) -> csr_matrix:
        """Features of every option with its question type: words, characters, typed words."""
        count = min(PAIR_FEATURES_MIN_COUNT, len(self.options))
        words = TfidfVectorizer(ngram_range=(1, 2), min_df=count, token_pattern=r"\w+")
        characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), min_df=count)
        # Words of an option joined to the type let a linear model learn per type.
        pairs = [
            " ".join(f"{question_type}_{word}" for word in option.lower().split())
            for wording, question_type in enumerate(self.types)
            for option in self.options[self.block(wording)]
        ]
        typed = TfidfVectorizer(min_df=count, token_pattern=r"\S+")
        blocks = [
            words.fit_transform(self.options),
            characters.fit_transform(self.options),
            typed.fit_transform(pairs),
        ]
        features = csr_matrix(hstack(blocks))
        # Every fit would sort its rows again.
        features.sort_indices()
        return features


def predict_letter_prior(wordings: Wordings) -> Prediction:
    """Prefer the letter that is the gold most often in groups answered before."""
    items = wordings.items

    def answer(known: Rows, asked: Rows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        counts = Counter(items[i].gold for i in known)
        for i in asked:
            yield i, np.array([float(counts[j]) for j in range(len(items[i].options))])

    return predict_in_stages(_count_options(items), wordings.deal_groups(), answer)


def score_longest(wordings: Wordings) -> Scores:
    """Prefer the longest option, in letters."""
    lengths = [len(text) for options in wordings.choices for text in options]
    return wordings.spread(np.array(lengths, dtype=np.float64))


def score_similar(wordings: Wordings) -> Scores:
    """Prefer the option most like the question: cosine of tf-idf word vectors."""
    questions = wordings.word_vectorizer.transform(wordings.questions)
    return wordings.spread(_multiply_rows(wordings.word_vectors, questions[wordings.of_option]))


def score_typical(wordings: Wordings) -> Scores:
    """Prefer the option nearest to the mean of the four, by character n-grams of 3 to 5."""
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return _score_centrality(wordings, vectorizer.fit_transform(wordings.options))


def score_typical_embedding(wordings: Wordings) -> Scores:
    """Prefer the option nearest to the mean of the four, by latent semantic embeddings."""
    vectors = wordings.word_vectors
    size = min(EMBEDDING_SIZE, min(vectors.shape) - 1)
    if size < 1:
        return [np.zeros(len(item.options)) for item in wordings.items]
    embedded = TruncatedSVD(size, random_state=0).fit_transform(vectors)
    return _score_centrality(wordings, csr_matrix(normalize(embedded)))


def predict_by_classifier(wordings: Wordings) -> Prediction:
    """Learn which options are right in groups answered before: n-grams, by a linear model."""
    return _learn(wordings, wordings.deal_groups())


def predict_by_classifier_of_rows(wordings: Wordings) -> Prediction:
    """The classifier with rows dealt to stages singly: it may have seen the wording it answers."""
    return _learn(wordings, deal_rows(len(wordings.items), FOLDS))


def predict_lone_extreme(wordings: Wordings, sign: int) -> Prediction:
    """Prefer the longest option (``sign`` 1) or the shortest (-1), where there is only one."""
    scores = [sign * row for row in score_longest(wordings)]
    alone = [np.count_nonzero(row == row.max()) == 1 for row in scores]
    return replace(predict_at_once(scores), tested=np.array(alone, np.bool_))


_SCORED: Mapping[str, Callable[[Wordings], Scores]] = {
    "longest": score_longest,
    "most like the question": score_similar,
    "most typical (n-grams)": score_typical,
    "most typical (embedding)": score_typical_embedding,
}
_PREDICTED: Mapping[str, Callable[[Wordings], Prediction]] = {
    "gold alone is longest": partial(predict_lone_extreme, sign=1),
    "gold alone is shortest": partial(predict_lone_extreme, sign=-1),
    "letter prior": predict_letter_prior,
    "classifier (groups apart)": predict_by_classifier,
    "classifier (rows apart)": predict_by_classifier_of_rows,
}
_OPPOSITES = {
    "shortest": "longest",
    "least like the question": "most like the question",
    "least typical (n-grams)": "most typical (n-grams)",
    "least typical (embedding)": "most typical (embedding)",
}
BLIND_POLICIES = (
    "gold alone is longest",
    "gold alone is shortest",
    "letter prior",
    "longest",
    "shortest",
    "most like the question",
    "least like the question",
    "most typical (n-grams)",
    "least typical (n-grams)",
    "most typical (embedding)",
    "least typical (embedding)",
    "classifier (groups apart)",
    "classifier (rows apart)",
)


def predict_blind(
    items: Sequence[Item], policies: Collection[str] = BLIND_POLICIES
) -> dict[str, Prediction]:
    """Return the predictions of the blind policies among ``policies``, by name."""
    wordings = Wordings(items)
    chosen = [name for name in BLIND_POLICIES if name in policies]
    # The products of a fit are small: threads would do nothing but wait for each other, at many
    # times the price.
    with threadpool_limits(1):
        found = {name: _PREDICTED[name](wordings) for name in chosen if name in _PREDICTED}
        wanted = {_OPPOSITES.get(name, name) for name in chosen} - found.keys()
        scores = {name: _SCORED[name](wordings) for name in sorted(wanted)}
    for name in chosen:
        if name in _OPPOSITES:
            found[name] = predict_at_once([-row for row in scores[_OPPOSITES[name]]])
        elif name in scores:
            found[name] = predict_at_once(scores[name])
    return {name: found[name] for name in chosen}


def _count_options(items: Sequence[Item]) -> list[int]:
    return [len(item.options) for item in items]


def _score_centrality(wordings: Wordings, vectors: csr_matrix) -> Scores:
    sizes = np.diff(wordings.starts)
    shares = csr_matrix(
        (1.0 / sizes[wordings.of_option], np.arange(len(wordings.options)), wordings.starts)
    )
    centres = csr_matrix(shares @ vectors)
    return wordings.spread(_multiply_rows(vectors, centres[wordings.of_option]))


def _multiply_rows(left: csr_matrix, right: csr_matrix) -> NDArray[np.float64]:
    """Return the inner product of each row of ``left`` with the same row of ``right``."""
    return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


def _learn(wordings: Wordings, folds: Sequence[Rows]) -> Prediction:
    items, features = wordings.items, wordings.pair_features

    def answer(known: Rows, asked: Rows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        right = np.zeros(len(wordings.options))
        seen = np.zeros(len(wordings.options))
        for row in known:
            block = wordings.block(wordings.of_row[row])
            seen[block] += 1
            right[block.start + items[row].gold] += 1
        model = _fit(features, right, seen - right)
        if model is None:
            return
        decided = np.round(model.decision_function(features), 9)
        for row in asked:
            yield row, decided[wordings.block(wordings.of_row[row])]

    return predict_in_stages(_count_options(items), folds, answer)


def _fit(
    features: csr_matrix, right: NDArray[np.float64], wrong: NDArray[np.float64]
) -> LogisticRegression | None:
    """Fit on options that were gold ``right`` and distractor ``wrong`` times; None if one class."""
    gold, distractor = np.flatnonzero(right), np.flatnonzero(wrong)
    if not len(gold) or not len(distractor):
        return None
    rows = np.concatenate([gold, distractor])
    labels = np.concatenate([np.ones(len(gold)), np.zeros(len(distractor))])
    weights = np.concatenate([right[gold], wrong[distractor]])
    model = LogisticRegression(C=1.0, max_iter=200, solver="liblinear")
    return model.fit(features[rows], labels, sample_weight=weights)
