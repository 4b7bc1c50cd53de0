"""Accuracies with intervals and p-values, and their correction for many tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from scipy.stats import binomtest

CHANCE = 0.25


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Right answers of a policy. ``low`` and ``high`` bound the 95 % Wilson interval.

    ``p_value`` is the chance that guessing does at least as well (one-sided binomial test at 25 %).
    """

    correct: float
    total: int
    low: float
    high: float
    p_value: float

    @property
    def share(self) -> float:
        """Share of right answers, 0 to 1; 0 without questions."""
        return self.correct / self.total if self.total else 0.0


def measure_accuracy(credits: Sequence[float]) -> Accuracy:
    """Return the accuracy of ``credits``: 1 for a right answer, 0 for a wrong one.

    A policy that cannot tell n options apart, the gold among them, earns 1/n: its expected score.
    """
    total, correct = len(credits), float(sum(credits))
    if not total:
        return Accuracy(0.0, 0, 0.0, 1.0, 1.0)
    low, high = wilson_interval(correct, total)
    # The test wants whole successes; rounding down favours the benchmark by less than one answer.
    p_value = float(binomtest(int(correct + 1e-9), total, CHANCE, alternative="greater").pvalue)
    return Accuracy(correct, total, low, high, p_value)


def wilson_interval(correct: float, total: int, z: float = 1.959964) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share (Wilson 1927)."""
    share = correct / total
    centre = share + z * z / (2 * total)
    margin = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)


def correct_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number after Holm (1979), in the given order."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = running
    return corrected
