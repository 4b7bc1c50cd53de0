"""The report on open questions: tables of every system, and the plots of the paper."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple
from pathlib import Path

from markupsafe import Markup

from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.memory_report import (
    describe_memory,
    tabulate_causes,
    tabulate_memories,
)
from personamem.dataset_builder.families.personabench.results.plots import draw_radar
from personamem.dataset_builder.families.personabench.results.reading import read_results
from personamem.dataset_builder.families.personabench.results.records import (
    Results,
    Run,
    label_systems,
)
from personamem.dataset_builder.families.personabench.results.tables import make_radars, make_tables
from personamem.dataset_builder.reports.lines import draw_lines
from personamem.dataset_builder.reports.results import Figure, ResultsReport
from personamem.loaders.personabench.radar import Radar, standardise_radars
from personamem.loaders.personabench.schema import NOISE_SPLITS

_NOTE = "Scores are over words, list recall over whole items. A dash: no such questions."


def make_report(evaluations: Sequence[Evaluation]) -> ResultsReport | None:
    """Return the report on open questions; None if there are no results of any.

    Raises:
        DatasetError: a file of results that is damaged.
    """
    results, used = read_results(evaluations)
    if not results.systems and not results.retrievals:
        return None
    return describe_results(results, used)


def describe_results(results: Results, used: frozenset[Path] = frozenset()) -> ResultsReport:
    """Return the report on some results."""
    labels = label_systems(list(results.systems))
    runs = {labels[system]: found for system, found in results.systems.items()}
    served = {
        f"{name}, noise {noise:g}": run.served
        for name, found in runs.items()
        for noise, run in found.items()
        if run.served
    }
    lines = {
        statistic: {name: _draw_scores(found, statistic) for name, found in runs.items()}
        for statistic in ("recall", "f1")
    }
    retrieved = {
        run.label: {
            noise: groups["overall"].recall
            for noise, groups in run.scores.items()
            if "overall" in groups
        }
        for run in results.retrievals
    }
    farthest = max(NOISE_SPLITS.values())
    return ResultsReport(
        title="PersonaBench: open questions",
        tables=(
            *make_tables(results),
            *(
                table
                for make in (tabulate_causes, tabulate_memories)
                if (table := make(served)).rows
            ),
        ),
        figures=(
            Figure("Recall against noise", draw_lines(lines["recall"], "noise", farthest)),
            Figure("F1 against noise", draw_lines(lines["f1"], "noise", farthest)),
            Figure(
                "Radar",
                draw_radar(make_radars(results), 0.0, 1.0),
                "From the lowest noise level; robustness is 1 - the loss of F1 to the highest one.",
            ),
            Figure(
                "Radar, z-scores",
                _draw_standardised(results),
                "Over systems that are not shown the gold sessions.",
            ),
            Figure("Recall of retrieval against noise", draw_lines(retrieved, "noise", farthest)),
        ),
        scores={
            f"{name}, noise {noise}": run.words.group("overall").recall
            for name, found in runs.items()
            for noise, run in found.items()
        },
        data={
            name: {
                f"{noise:g}": {
                    "questions": run.questions,
                    **{group: asdict(scores) for group, scores in run.words.groups.items()},
                    **({"memory": describe_memory(run.served)} if run.served else {}),
                }
                for noise, run in found.items()
            }
            for name, found in runs.items()
        },
        note=_NOTE,
        used=used,
    )


def _draw_scores(runs: Mapping[float, Run], statistic: str) -> dict[float, float]:
    return {noise: getattr(run.words.group("overall"), statistic) for noise, run in runs.items()}


def _draw_standardised(results: Results) -> Markup:
    scores = standardise_radars(make_radars(results, with_gold=False))
    known = [value for radar in scores.values() for value in _known(radar)]
    reach = math.ceil(2 * max(map(abs, known), default=0.0)) / 2 or 1.0
    return draw_radar(scores, -reach, reach)


def _known(radar: Radar) -> list[float]:
    return [value for value in astuple(radar) if not math.isnan(value)]
