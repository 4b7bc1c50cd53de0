"""Our figures beside those that the paper reports."""

import math
from collections.abc import Iterator, Mapping, Sequence

from personamem.dataset_builder.families.personalens.results.agreement import Agreement
from personamem.dataset_builder.families.personalens.results.published import (
    ASSISTANTS,
    KAPPAS,
    SETTINGS,
    USER_AGENTS,
)
from personamem.dataset_builder.families.personalens.results.records import LensRun
from personamem.dataset_builder.families.personalens.results.statistics import (
    measure_mean,
    score_of,
)
from personamem.dataset_builder.reports.tables import TextTable, format_share
from personamem.loaders.personalens.schema import TaskKind

_NOTE = (
    "Published: 50 users, user agent and judge of the Claude 3 family; other users, prompts and "
    "judges give other figures."
)
_KINDS: tuple[tuple[TaskKind, str], ...] = (("SD", "one domain"), ("MD", "several domains"))


def tabulate_published(runs: Mapping[str, LensRun]) -> Iterator[TextTable]:
    """Yield the tables of the paper for the kinds of tasks that runs have, with the runs."""
    for kind, words in _KINDS:
        chosen = {name: run for name, run in runs.items() if run.kind == kind}
        if chosen:
            yield _tabulate_assistants(chosen, kind, words)
            yield _tabulate_settings(chosen, kind, words)


def tabulate_kappas(
    title: str, found: Sequence[Agreement], with_published: bool = False
) -> TextTable:
    """Return kappas by dimension, beside those of the paper if these are of people."""
    rows = []
    for each in found:
        row = [each.dimension.replace("_", " "), format_share(each.cohen), f"{each.compared:,}"]
        row += [format_share(each.fleiss), f"{each.total:,}", str(each.raters)]
        if with_published:
            row += [f"{kappa:.3f}" for kappa in KAPPAS[each.dimension]]
        rows.append(tuple(row))
    head = ["", "Cohen", "compared", "Fleiss", "dialogues", "raters"]
    head += ["published Cohen", "published Fleiss"] if with_published else []
    return TextTable(f"{title}: kappas", tuple(head), tuple(rows))


def _tabulate_assistants(runs: Mapping[str, LensRun], kind: TaskKind, words: str) -> TextTable:
    dimensions = ["task_completion", "personalization"]
    dimensions += [f"{name}_assistant" for name in ("naturalness", "coherence")]
    dimensions += [f"{name}_user" for name in ("naturalness", "coherence")]
    rows = [
        (name, *(format_share(_measure(run, dimension)) for dimension in dimensions))
        for name, run in runs.items()
    ]
    for name, row in ASSISTANTS[kind].items():
        users = USER_AGENTS[name] if kind == "SD" else (math.nan, math.nan)
        rows.append((f"published: {name}, base", *map(format_share, (*row, *users))))
    head = ("run", *(name.replace("_", " ") for name in dimensions))
    return TextTable(f"Beside published assistants, tasks of {words}", head, tuple(rows), _NOTE)


def _tabulate_settings(runs: Mapping[str, LensRun], kind: TaskKind, words: str) -> TextTable:
    rows: list[tuple[str, ...]] = [
        (name, format_share(_measure(run, "task_completion")), format_share(_of(run)))
        for name, run in runs.items()
    ]
    rows += [
        (f"published: Claude 3 Sonnet, {setting}", *map(format_share, row))
        for setting, row in SETTINGS[kind].items()
    ]
    head = ("run", "task completion", "personalization")
    return TextTable(f"Beside published settings, tasks of {words}", head, tuple(rows), _NOTE)


def _of(run: LensRun) -> float:
    return _measure(run, "personalization")


def _measure(run: LensRun, dimension: str) -> float:
    return measure_mean(run.dialogues, score_of(dimension)).mean
