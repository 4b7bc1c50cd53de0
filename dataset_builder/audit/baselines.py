"""Baselines over a split: each policy's accuracy, overall and per question type, with a verdict."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.audit.chance import ChanceTest, credit
from personamem.dataset_builder.audit.predictions import Prediction
from personamem.dataset_builder.core.error_rate import (
    ERROR_RATE,
    Accuracy,
    correct_family,
    measure_accuracy,
)
from personamem.dataset_builder.core.items import Item, Scores
from personamem.dataset_builder.core.limits import find_limit_p_value
from personamem.loaders.formats.schema import NEW_IDEAS

OVERALL = "overall"

SHALLOW_LIMIT = 0.40
"""Over this share of right answers, a benchmark asks for little memory."""

LEVEL_LIMITS = {"named": 0.30, "implied": 0.30, "combined": 0.30}
"""The same for all questions at a level on which a search for words should find next to nothing."""

_LEVEL = "level "


@dataclass(frozen=True, slots=True)
class Baseline:
    """A policy on one question type, on one level ("level implied"), or on all (``OVERALL``).

    ``p_value`` is how likely a sound dataset reaches such an accuracy: one at chance for policies
    without the context, one at the limit for those with it. It is None where nothing is tested.
    ``p_corrected`` is the same, corrected for all tests of the audit.
    """

    policy: str
    question_type: str
    accuracy: Accuracy
    p_value: float | None
    p_corrected: float

    @property
    def passed(self) -> bool:
        """Whether the accuracy is what a sound dataset may reach."""
        return self.p_corrected >= ERROR_RATE

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values; shares from 0 to 1."""
        return {
            "policy": self.policy,
            "question_type": self.question_type,
            "questions": self.accuracy.total,
            "accuracy": round(self.accuracy.share, 6),
            "interval_95": [round(self.accuracy.low, 6), round(self.accuracy.high, 6)],
            "p_value": self.p_value,
            "p_value_corrected": self.p_corrected,
            "passed": self.passed,
        }


def measure_chance(
    items: Sequence[Item], predictions: Mapping[str, Prediction], parts: int = 1
) -> tuple[Baseline, ...]:
    """Hold policies that do not see the context against chance, overall and per question type.

    The accuracy is that on the rows that are tested. ``parts`` is how many parts the whole audit
    looks at; see ``statistics``.
    """
    test = ChanceTest(items)
    measured = []
    for name, prediction in predictions.items():
        credits = np.array(credit(items, prediction.scores))
        for question_type, rows in _group_types(items).items():
            accuracy = measure_accuracy(credits[rows & prediction.tested].tolist())
            p_value = test.find_p_value(prediction, rows)
            measured.append((name, question_type, accuracy, p_value))
    return _correct(measured, parts)


def measure_limit(
    items: Sequence[Item], scores: Mapping[str, Scores], held: Sequence[str], parts: int = 1
) -> tuple[Baseline, ...]:
    """Hold policies that see the context against a limit, per question type and per level.

    Tested are the policies in ``held`` on each type and level; suggest_new_ideas asks for what was
    never mentioned, which a match of words tells, and is not tested, and neither is the mean of
    types. A level has a limit of its own, or that of a type.
    """
    groups = np.unique([item.group for item in items], return_inverse=True)[1].ravel()
    measured = []
    for name, rows_scores in scores.items():
        credits = np.array(credit(items, rows_scores))
        for question_type, rows in _group_types(items).items():
            p_value = None
            if name in held and question_type not in (OVERALL, NEW_IDEAS):
                sizes = np.bincount(groups[rows])
                sums = np.bincount(groups[rows], credits[rows])[sizes > 0]
                p_value = find_limit_p_value(
                    sums.tolist(), sizes[sizes > 0].tolist(), limit_of(question_type)
                )
            accuracy = measure_accuracy(credits[rows].tolist())
            measured.append((name, question_type, accuracy, p_value))
    return _correct(measured, parts)


def limit_of(group: str) -> float:
    """Return what a shallow policy may reach on a question type or a level."""
    return LEVEL_LIMITS.get(group.removeprefix(_LEVEL), SHALLOW_LIMIT)


def _group_types(items: Sequence[Item]) -> dict[str, NDArray[np.bool_]]:
    types = np.array([item.question_type for item in items])
    levels = np.array([item.level for item in items])
    masks = {OVERALL: np.ones(len(items), np.bool_)}
    masks |= {name: types == name for name in sorted(set(types.tolist()))}
    return masks | {
        f"{_LEVEL}{name}": levels == name for name in sorted(set(levels.tolist())) if name
    }


_Measured = tuple[str, str, Accuracy, float | None]


def _correct(measured: Sequence[_Measured], parts: int) -> tuple[Baseline, ...]:
    """Correct the p-values of a family; those over all questions are a family of their own."""
    corrected = [1.0] * len(measured)
    for is_family in _FAMILIES:
        tested = [i for i, row in enumerate(measured) if row[3] is not None and is_family(row[1])]
        p_values = correct_family([measured[i][3] or 0.0 for i in tested], parts)
        for i, p_value in zip(tested, p_values, strict=True):
            corrected[i] = p_value
    return tuple(
        Baseline(*row, p_corrected=p_value)
        for row, p_value in zip(measured, corrected, strict=True)
    )


_FAMILIES: tuple[Callable[[str], bool], ...] = (
    lambda question_type: question_type == OVERALL,
    lambda question_type: question_type != OVERALL,
)
