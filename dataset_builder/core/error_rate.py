"""The error rate of an audit, accuracies with intervals, and the correction for many tests.

An audit refuses a sound dataset with a probability of at most ``ERROR_RATE``, over all policies,
question types and parts together. The rate is divided evenly over the ``FAMILIES`` of tests, and
that of a family evenly over the parts that the whole audit looks at (Bonferroni); within a part,
the tests of a family share it by Holm's procedure. All of these hold whatever the dependence
between tests. ``audit.chance`` and ``limits`` derive the p-values, which are exact or conservative.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

ERROR_RATE = 0.001
"""The probability that an audit refuses a sound dataset."""

FAMILIES = (
    "blind, overall",
    "blind, by type",
    "metadata, overall",
    "metadata, by type",
    "shallow, by type",
    "letters of releases",
    "open answers",
)
"""The families of tests, each with the same share of the error rate.

Tests over all questions are apart from those by type: they are the fewer, and see small leaks.
"""

CHANCE = 0.25


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Right answers of a policy. ``low`` and ``high`` bound the 95 % Wilson interval.

    The interval takes rows as independent: it is drawn, and decides nothing.
    """

    correct: float
    total: int

    @property
    def share(self) -> float:
        """Share of right answers, 0 to 1; 0 without questions."""
        return self.correct / self.total if self.total else 0.0

    @property
    def low(self) -> float:
        """The lower end of the interval; 0 without questions."""
        return _find_interval(round(self.correct), self.total)[0]

    @property
    def high(self) -> float:
        """The upper end of the interval; 1 without questions."""
        return _find_interval(round(self.correct), self.total)[1]


def measure_accuracy(credits: Sequence[float]) -> Accuracy:
    """Return the accuracy of ``credits``: 1 for a right answer, 0 for a wrong one.

    A policy that cannot tell n options apart, the gold among them, earns 1/n: its expected score.
    """
    return Accuracy(float(sum(credits)), len(credits))


@cache
def _find_interval(correct: int, total: int) -> tuple[float, float]:
    if not total:
        return 0.0, 1.0
    from scipy.stats import binomtest  # Slow to import, and builds never come here.

    interval = binomtest(correct, total).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def correct_family(p_values: Sequence[float], parts: int) -> list[float]:
    """Return the p-values of one family of a part, corrected for all tests of the audit.

    ``parts`` is how many parts the whole audit looks at. A test fails if its corrected p-value is
    below ``ERROR_RATE``.
    """
    return [min(1.0, len(FAMILIES) * parts * p) for p in correct_holm(p_values)]


def correct_holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number after Holm (1979), in the given order."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = running
    return corrected
