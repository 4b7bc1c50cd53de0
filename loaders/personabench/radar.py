"""The six axes on which the paper compares systems, and their z-scores."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Literal

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personabench.scoring import (
    Agreement,
    ScoredAnswer,
    score_updating,
    summarise_answers,
)

_UNKNOWN = Agreement(math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class RunScores:
    """A system's mean word scores at one noise level: by group, and information updating."""

    groups: Mapping[str, Agreement]
    updating: float

    def group(self, name: str) -> Agreement:
        """Return the scores of a group; NaN if the run has no questions of it."""
        return self.groups.get(name, _UNKNOWN)


@dataclass(frozen=True, slots=True)
class Radar:
    """One system's values, in the order of the paper's figure; higher is better on each.

    An axis on which a run has no questions is NaN, and so is robustness on a single noise level.
    """

    noise_robustness: float
    social: float
    basic: float
    updating: float
    preference_completeness: float
    preference_precision: float


def compute_radar(
    runs: Mapping[float, Sequence[ScoredAnswer]], statistic: Literal["recall", "f1"] = "recall"
) -> Radar:
    """Return the axes of one system, from its word scores; see ``derive_radar``.

    Args:
        runs: scored answers by noise level.
        statistic: what the axes social and basic hold.
    """
    return derive_radar({noise: _score_run(answers) for noise, answers in runs.items()}, statistic)


def derive_radar(
    runs: Mapping[float, RunScores], statistic: Literal["recall", "f1"] = "recall"
) -> Radar:
    """Return the axes of one system, from its mean word scores.

    Args:
        runs: scores by noise level. All but robustness is taken from the lowest level;
            robustness is 1 - (F1 at the lowest - F1 at the highest level), over all questions but
            Subjective ones.
        statistic: what the axes social and basic hold: recall, as in the official code, or F1, as
            the text of the paper has it.

    Completeness and precision are the means of recall and precision over easy and hard preference
    questions, both with equal weight.

    Raises:
        InvalidInputError: there are no runs.
    """
    if not runs:
        raise InvalidInputError("There are no runs. Accepted: scored answers of one noise level.")
    lowest, highest = min(runs), max(runs)
    run = runs[lowest]
    noisy = runs[highest].group("overall") if highest > lowest else _UNKNOWN
    preferences = [run.group(f"preference_{level}") for level in ("easy", "hard")]
    return Radar(
        noise_robustness=1 - (run.group("overall").f1 - noisy.f1),
        social=getattr(run.group("social"), statistic),
        basic=getattr(run.group("basic"), statistic),
        updating=run.updating,
        preference_completeness=math.fsum(words.recall for words in preferences) / 2,
        preference_precision=math.fsum(words.precision for words in preferences) / 2,
    )


def standardise_radars(systems: Mapping[str, Radar]) -> dict[str, Radar]:
    """Return the z-scores of each axis over systems, with the population's standard deviation.

    An axis is NaN for all systems where it is the same for all, where one of them is NaN, and for a
    system on its own. Systems that are shown the gold sessions do not belong here: the paper leaves
    them out.
    """
    axes = [_standardise(axis) for axis in zip(*map(astuple, systems.values()), strict=True)]
    return {
        name: Radar(*values) for name, values in zip(systems, zip(*axes, strict=True), strict=True)
    }


def _standardise(values: Sequence[float]) -> list[float]:
    # The deviation of equal floats can come out above 0, so equality is looked for first.
    if any(map(math.isnan, values)) or min(values) == max(values):
        return [math.nan] * len(values)
    mean, deviation = statistics.fmean(values), statistics.pstdev(values)
    return [(value - mean) / deviation for value in values]


def _score_run(answers: Sequence[ScoredAnswer]) -> RunScores:
    return RunScores(
        groups={name: scores.words for name, scores in summarise_answers(answers).items()},
        updating=score_updating(answer.outdated for answer in answers).words,
    )
