"""Metadata policies: they see the columns beside the text, and the order of rows.

None of these may say which letter is right, nor which option. They learn from other rows than they
answer, in stages; see ``predictions``. Rows that are dealt to stages singly can lead *below* chance
on balanced quads (the letters of a quad that were seen are wrong for the rest of it), which cannot
be exploited; only figures above chance count.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from personamem.dataset_builder.audit.folds import Rows, deal_groups, deal_rows, number_names
from personamem.dataset_builder.audit.predictions import (
    Exchange,
    Prediction,
    predict_in_stages,
)
from personamem.dataset_builder.core.items import Item
from personamem.loaders.formats.schema import Question

CYCLES = (2, 3, 4, 5)
"""Periods of the row number that the classifier is told."""

LETTER_FOLDS = 8
"""Stages in which letters are counted: more stages learn from more rows."""

CLASSIFIER_FOLDS = 5

TREES = 30
SMALLEST_LEAF = 5


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """A question and its item: the columns are read, and options only put in order.

    ``row_number`` counts from 0 in file order.
    """

    row_number: int
    question: Question
    item: Item


def make_metadata_rows(
    questions: Sequence[Question], items: Sequence[Item]
) -> tuple[MetadataRow, ...]:
    """Join ``questions`` with their ``items``, both in file order."""
    joined = zip(questions, items, strict=True)
    return tuple(MetadataRow(number, *pair) for number, pair in enumerate(joined))


def predict_by_row_number(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the letter most frequent at the same row number modulo 4."""
    return _learn_letters(rows, [row.row_number % 4 for row in rows])


def predict_by_previous_letter(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the letter that most often follows that of the row before, where that is known."""
    golds = np.array([row.item.gold for row in rows], np.int64)

    def answer(known: Rows, asked: Rows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        is_known = np.zeros(len(rows), np.bool_)
        is_known[known] = True
        counts: defaultdict[int, Counter[int]] = defaultdict(Counter)
        for i in known[known > 0]:
            if is_known[i - 1]:
                counts[int(golds[i - 1])][int(golds[i])] += 1
        for i in asked[asked > 0]:
            if is_known[i - 1]:
                yield i, _count_letters(counts[int(golds[i - 1])], rows[i])

    return predict_in_stages(_count_options(rows), _deal(rows, LETTER_FOLDS), answer)


def predict_by_persona(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the persona's most frequent letter."""
    return _learn_letters(rows, [row.question.persona_id for row in rows])


def predict_by_context(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the context's most frequent letter."""
    return _learn_letters(rows, [row.question.shared_context_id for row in rows])


def predict_by_topic(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the topic's most frequent letter."""
    return _learn_letters(rows, [row.question.topic for row in rows])


def predict_by_type(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the question type's most frequent letter."""
    return _learn_letters(rows, [row.question.question_type for row in rows])


def predict_place_by_persona(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the option at the alphabetical place where personas of this number modulo 4 have gold.

    Four personas share a question; were their golds to rotate through the options in an order that
    the options show, the persona would give the option away, whatever the letters.
    """
    keys = [row.question.persona_id % 4 for row in rows]
    return _by_place(rows, lambda ranked: _learn_letters(ranked, keys))


def predict_by_classifier(rows: Sequence[MetadataRow]) -> Prediction:
    """Learn the letter from all columns by a random forest; groups are kept in one fold."""
    return _classify(rows, _deal(rows, CLASSIFIER_FOLDS))


def predict_by_classifier_of_rows(rows: Sequence[MetadataRow]) -> Prediction:
    """The classifier with rows dealt to folds singly."""
    return _classify(rows, deal_rows(len(rows), CLASSIFIER_FOLDS))


def predict_place_by_classifier(rows: Sequence[MetadataRow]) -> Prediction:
    """The classifier with groups apart, taught the gold's alphabetical place for its letter."""
    return _by_place(rows, predict_by_classifier)


METADATA_POLICIES: dict[str, Callable[[Sequence[MetadataRow]], Prediction]] = {
    "letter by row number": predict_by_row_number,
    "letter by the row before": predict_by_previous_letter,
    "letter by persona": predict_by_persona,
    "letter by context": predict_by_context,
    "letter by topic": predict_by_topic,
    "letter by question type": predict_by_type,
    "option's alphabetical place by persona": predict_place_by_persona,
    "columns classifier (groups apart)": predict_by_classifier,
    "columns classifier (rows apart)": predict_by_classifier_of_rows,
    "columns classifier of alphabetical places": predict_place_by_classifier,
}


def _learn_letters(rows: Sequence[MetadataRow], keys: Sequence[Hashable]) -> Prediction:
    """Prefer the letter that was most frequent among the known rows with the same key."""

    def answer(known: Rows, asked: Rows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        counts: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
        for i in known:
            counts[keys[i]][rows[i].item.gold] += 1
        for i in asked:
            yield i, _count_letters(counts[keys[i]], rows[i])

    return predict_in_stages(_count_options(rows), _deal(rows, LETTER_FOLDS), answer)


def _count_letters(counts: Counter[int], row: MetadataRow) -> NDArray[np.float64]:
    return np.array([float(counts[j]) for j in range(len(row.item.options))])


def _count_options(rows: Sequence[MetadataRow]) -> list[int]:
    return [len(row.item.options) for row in rows]


def _deal(rows: Sequence[MetadataRow], number: int) -> list[Rows]:
    return deal_groups([row.item.group for row in rows], number)


def _by_place(
    rows: Sequence[MetadataRow], policy: Callable[[Sequence[MetadataRow]], Prediction]
) -> Prediction:
    """Apply a policy to rows whose options are in alphabetical order; undo the order."""
    texts = [row.item.options for row in rows]
    orders = [sorted(range(len(options)), key=options.__getitem__) for options in texts]
    prediction = policy([_reorder(row, order) for row, order in zip(rows, orders, strict=True)])
    scores = [np.zeros(len(options)) for options in texts]
    for row, order, values in zip(scores, orders, prediction.scores, strict=True):
        row[order] = values
    return replace(prediction, scores=scores, exchange=Exchange.PERSONAS)


def _reorder(row: MetadataRow, order: list[int]) -> MetadataRow:
    options = tuple(row.item.options[i] for i in order)
    return replace(row, item=replace(row.item, options=options, gold=order.index(row.item.gold)))


def _classify(rows: Sequence[MetadataRow], folds: Sequence[Rows]) -> Prediction:
    features = _make_features(rows) if len(folds) > 1 else np.zeros((len(rows), 0))
    golds = np.array([row.item.gold for row in rows])

    def answer(known: Rows, asked: Rows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        model = RandomForestClassifier(TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0)
        model.fit(features[known], golds[known])
        letters = model.classes_.tolist()
        for i, chances in zip(asked, model.predict_proba(features[asked]), strict=True):
            scores = np.zeros(len(rows[i].item.options))
            for letter, chance in zip(letters, chances, strict=True):
                if letter < len(scores):
                    scores[letter] = round(float(chance), 9)
            yield i, scores

    return predict_in_stages(_count_options(rows), folds, answer)


def _make_features(rows: Sequence[MetadataRow]) -> NDArray[np.float64]:
    """Return one row of numbers a question: the columns, cycles, and places within its quad."""
    numbers = np.array(
        [
            (
                row.question.persona_id,
                row.question.context_length_in_tokens,
                row.question.context_length_in_letters,
                row.question.distance_to_ref_in_blocks,
                row.question.distance_to_ref_in_tokens,
                row.question.num_irrelevant_tokens,
                _read_percentage(row.question.distance_to_ref_proportion_in_context),
                row.question.end_index_in_shared_context,
                row.row_number,
                row.question.persona_id % 4,
                *(row.row_number % cycle for cycle in CYCLES),
                ord(row.question.question_id[-1:] or " "),
            )
            for row in rows
        ],
        dtype=np.float64,
    )
    names = [
        number_names([getattr(row.question, column) for row in rows])
        for column in ("question_type", "topic", "shared_context_id", "question_id")
    ]
    groups = number_names([row.item.quad or row.item.group for row in rows])
    places = [_rank_within(groups, numbers[:, column]) for column in (0, 1, 4, 7)]
    return np.column_stack([numbers, *names, *places])


def _rank_within(groups: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place of each value among those of its group, from 0."""
    order = np.lexsort((values, groups))
    starts = np.searchsorted(groups[order], groups[order])
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order)) - starts
    return ranks


def _read_percentage(text: str) -> float:
    """Return the number before a percent sign over 100, NaN where there is none."""
    try:
        return float(text.strip().removesuffix("%")) / 100
    except ValueError:
        return float("nan")
