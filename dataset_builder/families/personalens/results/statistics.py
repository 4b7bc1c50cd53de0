"""Means as published, over dialogues; their certainty comes from users, who have many each.

Intervals are percentiles of means over users drawn again with replacement (cluster bootstrap), with
a fixed seed. Two settings are compared on the dialogues that both have a score for; the p-value is
two-sided, from flipping the signs of the users' differences at random.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.families.personalens.results.records import (
    JudgedDialogue,
    LensRun,
)

DRAWS = 2_000
FLIPS = 10_000
_SEED = 0

ValueOf = Callable[[JudgedDialogue], float | None]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over ``total`` dialogues of ``users`` users, with its 95 % interval; NaN of none."""

    mean: float
    low: float
    high: float
    total: int
    users: int


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much one setting is above another, over ``total`` common dialogues."""

    mean: float
    low: float
    high: float
    p_value: float
    total: int


def score_of(dimension: str) -> ValueOf:
    """Return the function that looks up the score of a dialogue in a dimension."""
    return lambda dialogue: dialogue.scores.get(dimension)


def measure_mean(dialogues: Sequence[JudgedDialogue], value_of: ValueOf) -> Estimate:
    """Return the mean over the dialogues that have a value."""
    known = [(d.user_id, value) for d in dialogues if (value := value_of(d)) is not None]
    if not known:
        return Estimate(math.nan, math.nan, math.nan, 0, 0)
    sums, counts = _sum_by_user(known)
    low, high = _draw_users(sums, counts)
    return Estimate(float(sums.sum() / counts.sum()), low, high, len(known), len(sums))


def compare_settings(run: LensRun, other: LensRun, dimension: str) -> Difference:
    """Return by how much ``run`` is above ``other`` in a dimension."""
    known = [
        (mine.user_id, mine.scores[dimension] - theirs.scores[dimension])
        for mine in run.dialogues
        if (theirs := other.by_key.get(mine.key)) is not None
        and dimension in mine.scores
        and dimension in theirs.scores
    ]
    if not known:
        return Difference(math.nan, math.nan, math.nan, math.nan, 0)
    sums, counts = _sum_by_user(known)
    low, high = _draw_users(sums, counts)
    moved = sums[sums != 0]
    flipped = np.random.default_rng(_SEED).choice((-1.0, 1.0), (FLIPS, len(moved))) @ moved
    # The observed signs are one of the ways, so that no p-value is 0.
    reached = 1 + int((np.abs(flipped) >= abs(float(moved.sum())) - 1e-9).sum())
    mean = float(sums.sum() / counts.sum())
    return Difference(mean, low, high, reached / (1 + FLIPS), len(known))


def _sum_by_user(
    known: Sequence[tuple[str, float]],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    numbers = {user: number for number, user in enumerate(dict.fromkeys(u for u, _ in known))}
    groups = [numbers[user] for user, _ in known]
    sums = np.bincount(groups, [value for _, value in known]).astype(np.float64)
    return sums, np.bincount(groups).astype(np.float64)


def _draw_users(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> tuple[float, float]:
    number = len(sums)
    random = np.random.default_rng(_SEED)
    drawn = random.multinomial(number, np.full(number, 1 / number), DRAWS)
    means = (drawn @ sums) / (drawn @ counts)
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)
