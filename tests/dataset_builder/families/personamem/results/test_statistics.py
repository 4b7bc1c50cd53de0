"""Intervals and p-values against what resampling and simulation say, on runs whose truth is known.

A run is drawn as ours are asked: personas in cohorts of four, and quads that the four of a cohort
share. Personas and quads differ in how often an answer is right: answers are not independent.
"""

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from answer_files import TASK, make_row, write_run
from numpy.typing import NDArray

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personamem.results import statistics
from personamem.dataset_builder.families.personamem.results.reading import read_runs
from personamem.dataset_builder.families.personamem.results.records import Answer, Run
from personamem.dataset_builder.families.personamem.results.report import describe_runs
from personamem.dataset_builder.families.personamem.results.statistics import (
    compare_runs,
    measure_share,
)

COHORTS, QUADS = 10, 12
PERSONAS = 4 * COHORTS
NULL_PAIRS = 200
Draw = np.random.Generator
Places = list[tuple[int, int]]

PLACES: Places = [
    (4 * cohort + member, QUADS * cohort + quad)
    for cohort in range(COHORTS)
    for quad in range(QUADS)
    for member in range(4)
]
"""Persona and quad of each answer."""


def draw_chances(random: Draw, mean: float, spread: float = 0.15) -> NDArray[np.float64]:
    """Return how probable a right answer is, by answer."""
    personas = random.normal(0, spread, PERSONAS)
    quads = random.normal(0, spread, COHORTS * QUADS)
    return np.clip([mean + personas[p] + quads[q] for p, q in PLACES], 0.02, 0.98)


def make_run(scores: Sequence[float], model: str = "m") -> Run:
    answers = tuple(
        Answer(f"q{n}", persona, f"quad{quad}", "t", "", None, None, None, None, score, "")
        for n, ((persona, quad), score) in enumerate(zip(PLACES, scores, strict=True))
    )
    return Run(model, TASK, "d", answers, None, 0.0, "")


def draw_scores(random: Draw, chances: NDArray[np.float64]) -> list[float]:
    return [float(right) for right in random.random(len(chances)) < chances]


def bootstrap_variance(
    random: Draw, scores: NDArray[np.float64], groups: Sequence[int], draws: int = 4_000
) -> float:
    """Return the variance of the mean when whole groups are drawn with replacement."""
    names = sorted(set(groups))
    sums = np.array([scores[np.array(groups) == name].sum() for name in names])
    sizes = np.array([groups.count(name) for name in names])
    drawn = random.integers(0, len(names), (draws, len(names)))
    return float((sums[drawn].sum(1) / sizes[drawn].sum(1)).var())


def test_intervals_of_three_runs_are_those_of_a_bootstrap(tmp_path: Path) -> None:
    """By personas plus by quads less by single answers, as the formula has it, but resampled."""
    random = np.random.default_rng(11)
    for number, mean in enumerate((0.3, 0.5, 0.7)):
        scores = draw_scores(random, draw_chances(random, mean))
        rows = [make_row(n, "a" if right else "b") for n, right in enumerate(scores)]
        for row, (persona, quad) in zip(rows, PLACES, strict=True):
            row["doc"]["persona_id"] = persona
            row["doc"]["dials"]["quad_id"] = f"quad{quad}"
        write_run(tmp_path, rows, f"models/m{number}")
    runs, _ = read_runs(read_evaluations([tmp_path]))
    report = describe_runs(runs)
    table = next(table for table in report.tables if table.title == "Accuracy")
    assert len(table.rows) == 3
    for run, row in zip(runs, table.rows, strict=True):
        scores_of_run = np.array([answer.score for answer in run.answers])
        ways = (
            [answer.persona for answer in run.answers],
            [int(answer.quad.removeprefix("quad")) for answer in run.answers],
            list(range(len(run.answers))),
        )
        personas, quads, single = (bootstrap_variance(random, scores_of_run, way) for way in ways)
        variance = max(personas + quads - single, personas, quads, single)
        reach = 1.96 * math.sqrt(variance)
        low, high = (float(bound) for bound in row[2].split("-"))
        assert (high - low) / 2 == pytest.approx(reach, rel=0.06)
        assert (high + low) / 2 == pytest.approx(scores_of_run.mean(), abs=0.001)
        naive = 1.96 * math.sqrt(scores_of_run.var() / len(scores_of_run))
        assert reach > 1.2 * naive, "the answers of this test are far from independent"


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(5)
    held = 0
    for _ in range(200):
        chances = draw_chances(random, 0.5)
        share = measure_share(make_run(draw_scores(random, chances)).answers)
        held += share.low <= 0.5 <= share.high
    assert 184 <= held <= 199, "95 % of 200, and the doubt of such a count"


def compare_drawn(
    random: Draw, change: Callable[[Draw], NDArray[np.float64]]
) -> tuple[float, float]:
    """Return value and p-value of a run against another, which share questions and personas."""
    chances, shift = draw_chances(random, 0.5), change(random)
    changed = np.clip([c + shift[p] for c, (p, _) in zip(chances, PLACES, strict=True)], 0, 1)
    one = make_run(draw_scores(random, np.asarray(changed)))
    found = compare_runs(one, make_run(draw_scores(random, chances)))
    return found.value, found.p_value


def test_no_difference_is_invented(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models that are equally good, one better with some personas, one with others."""
    monkeypatch.setattr(statistics, "FLIPS", 2_000)
    random = np.random.default_rng(23)
    found = [
        compare_drawn(random, lambda draw: draw.normal(0, 0.1, PERSONAS))[1]
        for _ in range(NULL_PAIRS)
    ]
    invented = sum(p_value < 0.05 for p_value in found)
    # Of 200 at a rate of 5 %, outside of this once in 40; 3,000 pairs gave 5.2 %.
    assert 4 <= invented <= 16
    assert 0.4 < np.mean(found) < 0.6, "p-values of no difference are spread evenly"


def test_a_known_difference_is_found() -> None:
    random = np.random.default_rng(29)
    found = [compare_drawn(random, lambda draw: np.full(PERSONAS, 0.2)) for _ in range(20)]
    assert np.mean([value for value, _ in found]) == pytest.approx(0.2, abs=0.02)
    assert sum(p_value < 0.05 for _, p_value in found) == 20
