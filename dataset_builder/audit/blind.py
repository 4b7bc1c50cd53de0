"""Blind policies: they see a question and its options, never the context.

On a sound benchmark all of them are at chance. A policy gives every option a score and takes the
highest; a tie earns its share, so figures do not hang on an arbitrary order.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize

from personamem.dataset_builder.audit.folds import Fold, deal_groups, deal_rows
from personamem.dataset_builder.audit.records import Item

Scores = list[NDArray[np.float64]]
"""One array a question, one score an option."""

Policy = Callable[[Sequence[Item]], Scores]

EMBEDDING_SIZE = 64
PAIR_FEATURES_MIN_COUNT = 2


def credit(items: Sequence[Item], scores: Scores) -> list[float]:
    """Return each question's credit: 1 over the number of best options, if the gold is one."""
    credits = []
    for item, row in zip(items, scores, strict=True):
        best = np.flatnonzero(row >= row.max() - 1e-12)
        credits.append(1.0 / len(best) if item.gold in best else 0.0)
    return credits


def score_letter_prior(items: Sequence[Item]) -> Scores:
    """Prefer the letter that is the gold most often in other groups (cross-validated)."""
    scores: Scores = [np.zeros(len(item.options)) for item in items]
    for train, test in _group_folds(items):
        counts = Counter(items[i].gold for i in train)
        for i in test:
            scores[i] = np.array([float(counts[j]) for j in range(len(items[i].options))])
    return scores


def score_longest(items: Sequence[Item]) -> Scores:
    """Prefer the longest option, in letters."""
    return [np.array([len(option) for option in item.options], dtype=np.float64) for item in items]


def score_shortest(items: Sequence[Item]) -> Scores:
    """Prefer the shortest option, in letters."""
    return [-row for row in score_longest(items)]


def score_similar(items: Sequence[Item]) -> Scores:
    """Prefer the option most like the question: cosine of tf-idf word vectors."""
    vectors = _word_vectors(items)
    questions = vectors.transform(item.question for item in items)
    options = vectors.transform(option for item in items for option in item.options)
    scores, start = [], 0
    for number, item in enumerate(items):
        block = options[start : start + len(item.options)]
        scores.append(np.asarray((block @ questions[number].T).todense(), dtype=np.float64).ravel())
        start += len(item.options)
    return scores


def score_dissimilar(items: Sequence[Item]) -> Scores:
    """Prefer the option least like the question."""
    return [-row for row in score_similar(items)]


def score_typical(items: Sequence[Item]) -> Scores:
    """Prefer the option nearest to the mean of the four, by character n-grams of 3 to 5."""
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return _score_centrality(items, vectorizer.fit_transform(_all_options(items)))


def score_atypical(items: Sequence[Item]) -> Scores:
    """Prefer the option furthest from the mean of the four, by character n-grams."""
    return [-row for row in score_typical(items)]


def score_typical_embedding(items: Sequence[Item]) -> Scores:
    """Prefer the option nearest to the mean of the four, by latent semantic embeddings."""
    vectors = _word_vectors(items).transform(_all_options(items))
    size = min(EMBEDDING_SIZE, min(vectors.shape) - 1)
    if size < 1:
        return [np.zeros(len(item.options)) for item in items]
    embedded = TruncatedSVD(size, random_state=0).fit_transform(vectors)
    return _score_centrality(items, csr_matrix(normalize(embedded)))


def score_atypical_embedding(items: Sequence[Item]) -> Scores:
    """Prefer the option furthest from the mean of the four, by latent semantic embeddings."""
    return [-row for row in score_typical_embedding(items)]


def score_classifier(items: Sequence[Item]) -> Scores:
    """Learn which options are right in other groups: n-grams of (question, option), linear."""
    return _cross_validate(items, _group_folds(items))


def score_classifier_ungrouped(items: Sequence[Item]) -> Scores:
    """The classifier with rows dealt to folds singly, so that a wording may be in both halves."""
    return _cross_validate(items, deal_rows(len(items)))


BLIND_POLICIES: dict[str, Policy] = {
    "letter prior": score_letter_prior,
    "longest": score_longest,
    "shortest": score_shortest,
    "most like the question": score_similar,
    "least like the question": score_dissimilar,
    "most typical (n-grams)": score_typical,
    "least typical (n-grams)": score_atypical,
    "most typical (embedding)": score_typical_embedding,
    "least typical (embedding)": score_atypical_embedding,
    "classifier (groups apart)": score_classifier,
    "classifier (rows apart)": score_classifier_ungrouped,
}


def _all_options(items: Sequence[Item]) -> list[str]:
    return [option for item in items for option in item.options]


def _word_vectors(items: Sequence[Item]) -> TfidfVectorizer:
    vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\w+")
    return vectorizer.fit([*(item.question for item in items), *_all_options(items), "nothing"])


def _score_centrality(items: Sequence[Item], vectors: csr_matrix) -> Scores:
    scores, start = [], 0
    for item in items:
        block = vectors[start : start + len(item.options)]
        centre = np.asarray(block.mean(axis=0)).ravel()
        scores.append(np.asarray(block @ centre, dtype=np.float64).ravel())
        start += len(item.options)
    return scores


def _group_folds(items: Sequence[Item]) -> list[Fold]:
    return deal_groups([item.group for item in items])


def _cross_validate(items: Sequence[Item], splits: Sequence[Fold]) -> Scores:
    features, starts, labels = _pair_features(items)
    scores: Scores = [np.zeros(len(item.options)) for item in items]
    rows_of = [
        np.arange(start, start + len(item.options))
        for start, item in zip(starts, items, strict=True)
    ]
    for train, test in splits:
        rows = np.concatenate([rows_of[i] for i in train])
        if len(set(labels[rows])) < 2:
            continue
        model = LogisticRegression(C=1.0, max_iter=200, solver="liblinear")
        model.fit(features[rows], labels[rows])
        for i in test:
            scores[i] = np.round(model.decision_function(features[rows_of[i]]), 9)
    return scores


def _pair_features(
    items: Sequence[Item],
) -> tuple[csr_matrix, list[int], NDArray[np.int64]]:
    """Return features of every (question, option), where each question's rows start, and labels."""
    options = _all_options(items)
    count = min(PAIR_FEATURES_MIN_COUNT, len(options))
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=count, token_pattern=r"\w+")
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), min_df=count)
    # Words of the question joined to those of the option let a linear model see their match.
    pairs = [
        " ".join(f"{item.question_type}_{word}" for word in option.lower().split())
        for item in items
        for option in item.options
    ]
    typed = TfidfVectorizer(min_df=count, token_pattern=r"\S+")
    blocks = [
        words.fit_transform(options),
        characters.fit_transform(options),
        typed.fit_transform(pairs),
    ]
    starts: list[int] = []
    labels: list[int] = []
    for item in items:
        starts.append(len(labels))
        labels.extend(int(i == item.gold) for i in range(len(item.options)))
    return csr_matrix(hstack(blocks)), starts, np.array(labels, dtype=np.int64)
