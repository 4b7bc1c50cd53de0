"""Scores of multiple-choice answers, as pure functions over plain values.

Letters are "a" to "d"; an unparsable answer is None and counts as wrong. A score of no answers at
all is NaN; that of a part of the answers (a question type, a third) is None where none belongs to
it, which the JSON of lm-eval's results can hold.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Third = Literal["near", "middle", "far"]


def accuracy(golds: Sequence[str], predictions: Sequence[str | None]) -> float:
    """Return the share of predictions that equal the gold letter."""
    return _mean([float(g == p) for g, p in zip(golds, predictions, strict=True)])


def unparsable_share(predictions: Sequence[str | None]) -> float:
    """Return the share of answers from which no letter could be read."""
    return _mean([float(prediction is None) for prediction in predictions])


def macro_f1(pairs: Iterable[tuple[str, str | None]]) -> float:
    """Return the F1 of each letter, averaged with equal weight.

    Args:
        pairs: (gold, prediction). Averaged over the letters that occur as either; None is no class
            of its own, it only lowers the recall of its gold letter.
    """
    counted = list(pairs)
    letters = {letter for pair in counted for letter in pair if letter is not None}
    scores = []
    for letter in sorted(letters):
        hits = sum(gold == letter == prediction for gold, prediction in counted)
        mentions = sum((gold == letter) + (prediction == letter) for gold, prediction in counted)
        scores.append(2 * hits / mentions)
    return _mean(scores)


def accuracy_of_type(question_type: str, items: Iterable[tuple[str, float]]) -> float | None:
    """Return the accuracy over one question type; items are (question type, correct)."""
    return _mean_of_part([correct for item_type, correct in items if item_type == question_type])


def average_recall(notes: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the mean share of evidence that a memory found; notes have it as ``recall``, or None
    where nobody can tell.
    """
    return _mean_of_part([note["recall"] for note in notes if note["recall"] is not None])


def accuracy_of_third(third: Third, items: Iterable[tuple[int | None, float]]) -> float | None:
    """Return the accuracy over the near, middle or far third by distance to the reference.

    Args:
        third: which third.
        items: (distance in tokens, correct). Items of unknown distance (None) are left out. The
            borders are the distances at one and two thirds of the sorted items; equal distances
            stay together, so thirds may differ in size, and one may be empty.
    """
    counted = [(distance, correct) for distance, correct in items if distance is not None]
    if not counted:
        return None
    distances = sorted(distance for distance, _ in counted)
    near_border = distances[math.ceil(len(distances) / 3) - 1]
    far_border = distances[math.ceil(2 * len(distances) / 3) - 1]
    chosen = {
        "near": [correct for distance, correct in counted if distance <= near_border],
        "middle": [
            correct for distance, correct in counted if near_border < distance <= far_border
        ],
        "far": [correct for distance, correct in counted if distance > far_border],
    }
    return _mean_of_part(chosen[third])


def _mean_of_part(values: Sequence[float]) -> float | None:
    return _mean(values) if values else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else math.nan
