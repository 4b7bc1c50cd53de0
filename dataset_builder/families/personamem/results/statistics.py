"""How certain accuracies and their differences are.

The answers of a quad share their question, those of a persona their context: neither is a sample of
independent answers. So the variance of a mean is that of two-way clusters, by quads plus by
personas less by single answers (Cameron, Gelbach and Miller 2011, "Robust inference with multiway
clustering"), and never less than the larger of the first two. Two runs are compared on the
questions that both answered, by flipping the signs of the personas' differences at random: under
"no difference" each sign was as likely.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.families.personamem.results.records import Answer, Run

Z_95 = 1.959964
FLIPS = 20_000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Share:
    """A share of ``total`` answers with its 95 % interval."""

    value: float
    low: float
    high: float
    total: int


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much the first of two runs is better, over ``total`` common questions.

    ``p_value`` is two-sided.
    """

    value: float
    p_value: float
    total: int


def measure_share(answers: Sequence[Answer]) -> Share:
    """Return the accuracy of some answers; NaN without any."""
    if not answers:
        return Share(math.nan, math.nan, math.nan, 0)
    scores = np.array([answer.score for answer in answers])
    mean = float(scores.mean())
    rests = scores - mean
    ways = [_add_squares(rests, [answer.persona for answer in answers])]
    if any(answer.quad for answer in answers):
        ways.append(_add_squares(rests, [answer.quad for answer in answers]))
    single = float((rests**2).sum())
    variance = max(sum(ways) - single * (len(ways) - 1), *ways, single) / len(scores) ** 2
    if not variance:  # All are right, or all wrong: the interval of Wilson.
        doubt = Z_95**2 / (len(scores) + Z_95**2)
        return Share(mean, mean * (1 - doubt), mean + (1 - mean) * doubt, len(answers))
    reach = Z_95 * math.sqrt(variance)
    return Share(mean, max(0.0, mean - reach), min(1.0, mean + reach), len(answers))


def compare_runs(run: Run, other: Run) -> Difference:
    """Return by how much ``run`` is better than ``other`` on the questions that both answered."""
    theirs = {answer.question_id: answer for answer in other.answers}
    pairs = [(a, theirs[a.question_id]) for a in run.answers if a.question_id in theirs]
    if not pairs:
        return Difference(math.nan, math.nan, 0)
    differences = np.array([ours.score - their.score for ours, their in pairs])
    sums = _sum_groups(differences, [ours.persona for ours, _ in pairs])
    sums = sums[sums != 0]
    observed = abs(float(sums.sum()))
    random = np.random.default_rng(_SEED)
    flipped = random.choice((-1.0, 1.0), size=(FLIPS, len(sums))) @ sums
    # The observed signs are one of the ways, so that no p-value is 0.
    reached = 1 + int((np.abs(flipped) >= observed - 1e-9).sum())
    return Difference(float(differences.mean()), reached / (1 + FLIPS), len(pairs))


def _add_squares(rests: NDArray[np.float64], groups: Sequence[Hashable]) -> float:
    sums = _sum_groups(rests, groups)
    factor = len(sums) / (len(sums) - 1) if len(sums) > 1 else 1.0
    return factor * float((sums**2).sum())


def _sum_groups(values: NDArray[np.float64], groups: Sequence[Hashable]) -> NDArray[np.float64]:
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return np.bincount([numbers[group] for group in groups], values).astype(np.float64)
