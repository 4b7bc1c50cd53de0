"""The tables of results, once as rows of texts, for the terminal and for the page alike."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, fields

from personamem.dataset_builder.families.personabench.results.records import (
    Results,
    RetrievalRun,
    Run,
    label_systems,
)
from personamem.dataset_builder.reports.tables import TextTable, format_share
from personamem.loaders.personabench.groups import GROUPS
from personamem.loaders.personabench.radar import Radar, derive_radar, standardise_radars

AXES = tuple(field.name.replace("_", " ") for field in fields(Radar))


def make_tables(results: Results) -> Iterator[TextTable]:
    """Yield a table for each system, one of the radar, and one for each retriever."""
    labels = label_systems(list(results.systems))
    for system, runs in results.systems.items():
        yield _tabulate_runs(labels[system], runs)
    if results.systems:
        yield _tabulate_radars(make_radars(results))
        scores = standardise_radars(make_radars(results, with_gold=False))
        if any(not math.isnan(value) for radar in scores.values() for value in astuple(radar)):
            yield _tabulate_radars(scores, "Radar, z-scores over systems")
    for retrieval in results.retrievals:
        yield tabulate_retrieval(retrieval)


def make_radars(results: Results, with_gold: bool = True) -> dict[str, Radar]:
    """Return the axes of every system by its label; without gold, as the paper standardises."""
    labels = label_systems(list(results.systems))
    return {
        labels[system]: derive_radar({noise: run.words for noise, run in runs.items()})
        for system, runs in results.systems.items()
        if with_gold or not system.sees_gold
    }


def tabulate_retrieval(run: RetrievalRun) -> TextTable:
    """Return recall and NDCG to three decimals: a row a group, two columns a noise level."""
    groups = dict.fromkeys(group for scores in run.scores.values() for group in scores)
    rows = []
    for group in groups:
        found = [scores.get(group) for scores in run.scores.values()]
        counts = "/".join(map(str, sorted({score.questions for score in found if score})))
        figures = [
            figure
            for score in found
            for figure in ((score.recall, score.ndcg) if score else (math.nan, math.nan))
        ]
        rows.append((group.replace("_", " "), counts, *map(format_share, figures)))
    head = [f"{name} {noise}" for noise in run.scores for name in ("recall", "NDCG")]
    return TextTable(run.label, ("category", "questions", *head), tuple(rows))


def _tabulate_runs(label: str, runs: Mapping[float, Run]) -> TextTable:
    asked = [name for name in GROUPS if any(name in run.words.groups for run in runs.values())]
    asked.sort(key=lambda name: name != "overall")
    rows = [_make_row(name, list(runs.values())) for name in asked]
    for name, figures in (
        ("updating", [run.words.updating for run in runs.values()]),
        ("updating, items", [run.items.updating for run in runs.values()]),
        ("unparsable", [run.unparsable for run in runs.values()]),
    ):
        cells = [cell for figure in figures for cell in (format_share(figure), "", "")]
        rows.append((name, *cells))
    head = [f"{name} {noise}" for noise in runs for name in ("recall", "F1", "list recall")]
    limited = [run for run in runs.values() if run.questions < run.of]
    note = "; ".join(f"noise {run.noise}: {run.questions} of {run.of} questions" for run in limited)
    return TextTable(label, ("category", *head), tuple(rows), note)


def _make_row(group: str, runs: Sequence[Run]) -> tuple[str, ...]:
    cells = []
    for run in runs:
        words, items = run.words.group(group), run.items.group(group)
        cells += [format_share(each) for each in (words.recall, words.f1, items.recall)]
    return (group.replace("_", " "), *cells)


def _tabulate_radars(radars: Mapping[str, Radar], title: str = "Radar") -> TextTable:
    rows = tuple((name, *map(format_share, astuple(radar))) for name, radar in radars.items())
    return TextTable(title, ("system", *AXES), rows)
