"""Metadata policies: they see the columns beside the text, and the order of rows.

None of these may say which letter is right, nor which option. What is learned is learned on other
rows than it is tried on. On balanced quads that can be *below* chance (the letters of a quad that
were seen are the ones that are wrong for the rest of it), which no user of a benchmark can turn to
account; only figures above chance count.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from personamem.dataset_builder.audit.folds import (
    Fold,
    deal_blocks,
    deal_groups,
    deal_rows,
    number_names,
)
from personamem.dataset_builder.core.items import Item, Scores
from personamem.loaders.formats.schema import Question

CYCLES = (2, 3, 4, 5)
"""Periods of the row number that the classifier is told."""

TREES = 30
SMALLEST_LEAF = 5


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """A question's columns but for its text; ``options`` serve only to be put in order.

    ``row_number`` counts from 0 in file order, ``proportion`` is the column's percentage over 100
    (NaN where it holds none), ``group`` is as in ``Item``.
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
        )
        for number, (question, item) in enumerate(zip(questions, items, strict=True))
    )


def score_row_number(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the letter most frequent at the same row number modulo 4, in other blocks of rows."""
    keys = [row.row_number % 4 for row in rows]
    return _learn_letters(rows, keys, deal_blocks(len(rows)))


def score_previous_letter(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the letter that most often follows that of the row before, in other blocks of rows."""
    keys = [None, *(row.gold for row in rows[:-1])]
    return _learn_letters(rows, keys[: len(rows)], deal_blocks(len(rows)))


def score_persona(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the persona's most frequent letter."""
    return _learn_letters(rows, [row.persona_id for row in rows], deal_rows(len(rows)))


def score_context_id(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the context's most frequent letter."""
    return _learn_letters(rows, [row.shared_context_id for row in rows], deal_rows(len(rows)))


def score_topic(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the topic's most frequent letter."""
    return _learn_letters(rows, [row.topic for row in rows], deal_rows(len(rows)))


def score_type(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the question type's most frequent letter."""
    return _learn_letters(rows, [row.question_type for row in rows], deal_rows(len(rows)))


def score_rank_of_persona(rows: Sequence[MetadataRow]) -> Scores:
    """Prefer the option at the alphabetical place where personas of this number modulo 4 have gold.

    Four personas share a question; were their golds to rotate through the options in an order that
    the options show, the persona would give the option away, whatever the letters.
    """
    keys = [row.persona_id % 4 for row in rows]
    return _by_place(rows, lambda ranked: _learn_letters(ranked, keys, _group_folds(rows)))


def score_classifier(rows: Sequence[MetadataRow]) -> Scores:
    """Learn the letter from all columns by a random forest; groups are kept in one fold."""
    return _classify(rows, _group_folds(rows))


def score_classifier_ungrouped(rows: Sequence[MetadataRow]) -> Scores:
    """The classifier with rows dealt to folds singly."""
    return _classify(rows, deal_rows(len(rows)))


def score_rank_classifier(rows: Sequence[MetadataRow]) -> Scores:
    """The classifier with groups apart, taught the gold's alphabetical place for its letter."""
    return _by_place(rows, lambda ranked: _classify(ranked, _group_folds(rows)))


METADATA_POLICIES: dict[str, Callable[[Sequence[MetadataRow]], Scores]] = {
    "letter by row number": score_row_number,
    "letter by the row before": score_previous_letter,
    "letter by persona": score_persona,
    "letter by context": score_context_id,
    "letter by topic": score_topic,
    "letter by question type": score_type,
    "option's alphabetical place by persona": score_rank_of_persona,
    "columns classifier (groups apart)": score_classifier,
    "columns classifier (rows apart)": score_classifier_ungrouped,
    "columns classifier of alphabetical places": score_rank_classifier,
}


def _learn_letters(
    rows: Sequence[MetadataRow], keys: Sequence[Hashable], folds: Sequence[Fold]
) -> Scores:
    scores: Scores = [np.zeros(len(row.options)) for row in rows]
    for train, test in folds:
        counts: defaultdict[Hashable, Counter[int]] = defaultdict(Counter)
        for i in train:
            counts[keys[i]][rows[i].gold] += 1
        for i in test:
            seen = counts[keys[i]]
            scores[i] = np.array([float(seen[j]) for j in range(len(rows[i].options))])
    return scores


def _by_place(
    rows: Sequence[MetadataRow], policy: Callable[[Sequence[MetadataRow]], Scores]
) -> Scores:
    """Apply a policy to rows whose options are in alphabetical order; undo the order."""
    orders = [sorted(range(len(row.options)), key=row.options.__getitem__) for row in rows]
    ranked = [_reorder(row, order) for row, order in zip(rows, orders, strict=True)]
    scores = [np.zeros(len(row.options)) for row in rows]
    for row, order, values in zip(scores, orders, policy(ranked), strict=True):
        row[order] = values
    return scores


def _reorder(row: MetadataRow, order: list[int]) -> MetadataRow:
    options = tuple(row.options[i] for i in order)
    return replace(row, options=options, gold=order.index(row.gold))


def _group_folds(rows: Sequence[MetadataRow]) -> list[Fold]:
    return deal_groups([row.group for row in rows])


def _classify(rows: Sequence[MetadataRow], folds: Sequence[Fold]) -> Scores:
    scores: Scores = [np.zeros(len(row.options)) for row in rows]
    if not folds:
        return scores
    features = _make_features(rows)
    golds = np.array([row.gold for row in rows])
    for train, test in folds:
        model = RandomForestClassifier(TREES, min_samples_leaf=SMALLEST_LEAF, random_state=0)
        model.fit(features[train], golds[train])
        letters = model.classes_.tolist()
        for i, chances in zip(test, model.predict_proba(features[test]), strict=True):
            for letter, chance in zip(letters, chances, strict=True):
                if letter < len(scores[i]):
                    scores[i][letter] = round(float(chance), 9)
    return scores


def _make_features(rows: Sequence[MetadataRow]) -> NDArray[np.float64]:
    """Return one row of numbers a question: the columns, cycles, and places within its group."""
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
    groups = number_names([row.group for row in rows])
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
