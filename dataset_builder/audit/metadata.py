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
    """A question's columns but for its text; ``options`` serve only to be put in order.

    ``row_number`` counts from 0 in file order, ``proportion`` is the column's percentage over 100
    (NaN where it holds none), ``group`` and ``quad`` are as in ``Item``.
    """

    row_number: int
    question_id: str
    persona_id: int
    question_type: str
    topic: str
    context_length_in_tokens: int | None
    context_length_in_letters: int
    distance_to_ref_in_blocks: int | None
    distance_to_ref_in_tokens: int | None
    num_irrelevant_tokens: int | None
    proportion: float
    shared_context_id: str
    end_index: int
    gold: int
    options: tuple[str, ...]
    group: str
    quad: str = ""


def make_metadata_rows(
    questions: Sequence[Question], items: Sequence[Item]
) -> tuple[MetadataRow, ...]:
    """Join the columns of ``questions`` with the groups of their ``items``, both in file order."""
    return tuple(
        MetadataRow(
            row_number=number,
            question_id=question.question_id,
            persona_id=question.persona_id,
            question_type=question.question_type,
            topic=question.topic,
            context_length_in_tokens=question.context_length_in_tokens,
            context_length_in_letters=question.context_length_in_letters,
            distance_to_ref_in_blocks=question.distance_to_ref_in_blocks,
            distance_to_ref_in_tokens=question.distance_to_ref_in_tokens,
            num_irrelevant_tokens=question.num_irrelevant_tokens,
            proportion=_read_percentage(question.distance_to_ref_proportion_in_context),
            shared_context_id=question.shared_context_id,
            end_index=question.end_index_in_shared_context,
            gold=item.gold,
            options=item.options,
            group=item.group,
            quad=item.quad,
        )
        for number, (question, item) in enumerate(zip(questions, items, strict=True))
    )


def predict_by_row_number(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the letter most frequent at the same row number modulo 4."""
    return _learn_letters(rows, [row.row_number % 4 for row in rows])


def predict_by_previous_letter(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the letter that most often follows that of the row before, where that is known."""
    golds = np.array([row.gold for row in rows], np.int64)

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
    return _learn_letters(rows, [row.persona_id for row in rows])


def predict_by_context(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the context's most frequent letter."""
    return _learn_letters(rows, [row.shared_context_id for row in rows])


def predict_by_topic(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the topic's most frequent letter."""
    return _learn_letters(rows, [row.topic for row in rows])


def predict_by_type(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the question type's most frequent letter."""
    return _learn_letters(rows, [row.question_type for row in rows])


def predict_place_by_persona(rows: Sequence[MetadataRow]) -> Prediction:
    """Prefer the option at the alphabetical place where personas of this number modulo 4 have gold.

    Four personas share a question; were their golds to rotate through the options in an order that
    the options show, the persona would give the option away, whatever the letters.
    """
    keys = [row.persona_id % 4 for row in rows]
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
            counts[keys[i]][rows[i].gold] += 1
        for i in asked:
            yield i, _count_letters(counts[keys[i]], rows[i])

    return predict_in_stages(_count_options(rows), _deal(rows, LETTER_FOLDS), answer)


def _count_letters(counts: Counter[int], row: MetadataRow) -> NDArray[np.float64]:
    return np.array([float(counts[j]) for j in range(len(row.options))])


def _count_options(rows: Sequence[MetadataRow]) -> list[int]:
    return [len(row.options) for row in rows]


def _deal(rows: Sequence[MetadataRow], number: int) -> list[Rows]:
    return deal_groups([row.group for row in rows], number)


def _by_place(
    rows: Sequence[MetadataRow], policy: Callable[[Sequence[MetadataRow]], Prediction]
) -> Prediction:
    """Apply a policy to rows whose options are in alphabetical order; undo the order."""
    orders = [sorted(range(len(row.options)), key=row.options.__getitem__) for row in rows]
    prediction = policy([_reorder(row, order) for row, order in zip(rows, orders, strict=True)])
    scores = [np.zeros(len(row.options)) for row in rows]
    for row, order, values in zip(scores, orders, prediction.scores, strict=True):
        row[order] = values
    return replace(prediction, scores=scores, exchange=Exchange.PERSONAS)


def _reorder(row: MetadataRow, order: list[int]) -> MetadataRow:
    options = tuple(row.options[i] for i in order)
    return replace(row, options=options, gold=order.index(row.gold))


def _classify(rows: Sequence[MetadataRow], folds: Sequence[Rows]) -> Prediction:
    features = _make_features(rows) if len(folds) > 1 else np.zeros((len(rows), 0))
    golds = np.array([row.gold for row in rows])

    def answer(known: Rows, asked: Rows) -> Iterator[tuple[int, NDArray[np.float64]]]:
        model = RandomForestClassifier(TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0)
        model.fit(features[known], golds[known])
        letters = model.classes_.tolist()
        for i, chances in zip(asked, model.predict_proba(features[asked]), strict=True):
            scores = np.zeros(len(rows[i].options))
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
                row.persona_id,
                row.context_length_in_tokens,
                row.context_length_in_letters,
                row.distance_to_ref_in_blocks,
                row.distance_to_ref_in_tokens,
                row.num_irrelevant_tokens,
                row.proportion,
                row.end_index,
                row.row_number,
                row.persona_id % 4,
                *(row.row_number % cycle for cycle in CYCLES),
                ord(row.question_id[-1:] or " "),
            )
            for row in rows
        ],
        dtype=np.float64,
    )
    names = [
        number_names([getattr(row, column) for row in rows])
        for column in ("question_type", "topic", "shared_context_id", "question_id")
    ]
    groups = number_names([row.quad or row.group for row in rows])
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
    try:
        return float(text.strip().removesuffix("%")) / 100
    except ValueError:
        return float("nan")
