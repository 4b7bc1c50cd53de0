"""Baselines over a split: each policy's accuracy, overall and per question type, with a verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.dataset_builder.audit.blind import credit, score_blind
from personamem.dataset_builder.audit.statistics import Accuracy, correct_holm, measure_accuracy
from personamem.dataset_builder.core.items import Item, Scores

SIGNIFICANCE = 0.05
OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A policy on one question type, or on all (``OVERALL``).

    ``p_corrected`` is its p-value after Holm's correction for the baselines and types of its
    family, and Bonferroni's for the families of the audit.
    """

    policy: str
    question_type: str
    accuracy: Accuracy
    p_corrected: float

    @property
    def passed(self) -> bool:
        """Whether the policy is not better than chance."""
        return self.p_corrected >= SIGNIFICANCE

    def as_json(self) -> dict[str, Any]:
        """Return the figures as plain values; shares from 0 to 1."""
        return {
            "policy": self.policy,
            "question_type": self.question_type,
            "questions": self.accuracy.total,
            "accuracy": round(self.accuracy.share, 6),
            "interval_95": [round(self.accuracy.low, 6), round(self.accuracy.high, 6)],
            "p_value": self.accuracy.p_value,
            "p_value_corrected": self.p_corrected,
            "passed": self.passed,
        }


def run_blind_baselines(items: Sequence[Item]) -> tuple[Baseline, ...]:
    """Return every blind policy overall and per question type."""
    return measure_baselines(items, score_blind(items))


def measure_baselines(
    items: Sequence[Item], scores: Mapping[str, Scores], families: int = 1
) -> tuple[Baseline, ...]:
    """Hold the policies of ``scores`` against chance, overall and per question type.

    Their p-values are corrected together, as one of ``families`` that an audit looks at: so an
    audit of a sound dataset, however many splits it has, fails once in twenty times by chance.
    """
    types = [OVERALL, *sorted({item.question_type for item in items})]
    measured: list[tuple[str, str, Accuracy]] = []
    for name, rows in scores.items():
        credits = credit(items, rows)
        for question_type in types:
            chosen = [
                value
                for item, value in zip(items, credits, strict=True)
                if question_type in (OVERALL, item.question_type)
            ]
            measured.append((name, question_type, measure_accuracy(chosen)))
    p_values = [min(1.0, families * accuracy.p_value) for _, _, accuracy in measured]
    corrected = correct_holm(p_values)
    return tuple(
        Baseline(name, question_type, accuracy, p)
        for (name, question_type, accuracy), p in zip(measured, corrected, strict=True)
    )
