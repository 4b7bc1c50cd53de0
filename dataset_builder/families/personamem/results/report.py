"""The report on multiple choice: accuracies, curves against the dials, roles of wrong answers."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

from personamem.dataset_builder.families.evaluations import Evaluation
from personamem.dataset_builder.families.memory_report import (
    describe_memory,
    tabulate_causes,
    tabulate_memories,
)
from personamem.dataset_builder.families.personamem.flat import describe_hub_tasks
from personamem.dataset_builder.families.personamem.results.reading import read_runs
from personamem.dataset_builder.families.personamem.results.records import (
    Answer,
    Run,
    label_runs,
)
from personamem.dataset_builder.families.personamem.results.statistics import (
    Difference,
    Share,
    compare_runs,
    measure_share,
)
from personamem.dataset_builder.reports.eval_results import ModelScore
from personamem.dataset_builder.reports.lines import draw_lines
from personamem.dataset_builder.reports.results import Figure, ResultsReport
from personamem.dataset_builder.reports.tables import TextTable, format_share
from personamem.loaders.formats.schema import SIZES

DISTANCE_PARTS = 5
"""Parts of about the same number of answers, by distance."""

SIGNIFICANT = 0.05

DIALS: Mapping[str, Callable[[Answer], int | None]] = {
    "updates": lambda answer: answer.updates,
    "sessions per answer": lambda answer: answer.sessions,
    "distractors": lambda answer: answer.distractors,
}

_NOTE = (
    "Intervals of 95 % allow for answers that share a quad or a persona; chance is 0.250. A "
    "difference is tested on the questions that both runs answered, by signs of personas."
)


def make_report(
    evaluations: Sequence[Evaluation], baseline: Sequence[Evaluation]
) -> ResultsReport | None:
    """Return the report on multiple choice; None if there are no results of any.

    Raises:
        InvalidInputError: results without the answers behind them.
        DatasetError: a file of answers that is damaged.
    """
    runs, used = read_runs(evaluations)
    if not runs:
        return None
    return describe_runs(runs, read_runs(baseline)[0], used)


def describe_runs(
    runs: Sequence[Run], baseline: Sequence[Run] = (), used: frozenset[Path] = frozenset()
) -> ResultsReport:
    """Return the report on some runs, each compared with the baseline's on the same task."""
    labelled = dict(zip(label_runs(runs), runs, strict=True))
    served = {label: run.served for label, run in labelled.items() if run.memory}
    curves = {name: dict(_draw_curve(labelled, name)) for name in ("distance", *DIALS)}
    against, compared, worse = _compare_with(labelled, baseline)
    tables = [
        _tabulate_overview(labelled),
        _tabulate_groups("Accuracy by question type", labelled, lambda a: a.question_type),
        _tabulate_groups("Accuracy by level of evidence", labelled, lambda a: a.level),
        *(_tabulate_curve(name, curve) for name, curve in curves.items()),
        _tabulate_roles(labelled),
        tabulate_causes(served),
        tabulate_memories(served),
        _compare_all(labelled),
        against,
    ]
    return ResultsReport(
        title="PersonaMem: multiple choice",
        tables=tuple(table for table in tables if table.rows),
        figures=tuple(
            Figure(
                f"Accuracy against {_name_quantity(name)}",
                draw_lines(
                    {
                        label: {x: share.value for x, share in c.items()}
                        for label, c in curve.items()
                    },
                    name,
                ),
            )
            for name, curve in curves.items()
            if any(len(points) > 1 for points in curve.values())
        ),
        scores={label: run.accuracy for label, run in labelled.items()},
        data={label: _describe_run(run, label, curves) for label, run in labelled.items()},
        note=_NOTE,
        compared=compared,
        worse=worse,
        model_scores=_list_model_scores(runs),
        used=used,
    )


def _list_model_scores(runs: Sequence[Run]) -> list[ModelScore]:
    """Return the accuracies of whole runs on tasks that ``eval.yaml`` describes."""
    known = {task.id for task in describe_hub_tasks(list(SIZES))}
    return [
        ModelScore(run.model, run.task, run.dataset, run.accuracy, len(run.answers), run.date)
        for run in runs
        if run.task in known and run.is_whole
    ]


def _list_values(points: Mapping[float, Share]) -> dict[float, float]:
    return {x: share.value for x, share in points.items()}


def _name_quantity(name: str) -> str:
    return "distance in thousands of tokens" if name == "distance" else name


def _tabulate_overview(runs: Mapping[str, Run]) -> TextTable:
    rows = []
    for label, run in runs.items():
        share = measure_share(run.answers)
        unparsable = "" if run.unparsable is None else format_share(run.unparsable)
        rows.append((label, *_format(share), f"{share.total:,}", unparsable))
    head = ("run", "accuracy", "interval", "questions", "unparsable")
    return TextTable("Accuracy", head, tuple(rows))


def _tabulate_groups(
    title: str, runs: Mapping[str, Run], group_of: Callable[[Answer], str]
) -> TextTable:
    names = sorted({group_of(a) for run in runs.values() for a in run.answers} - {""})
    rows = []
    for name in names:
        cells = []
        for run in runs.values():
            share = measure_share([a for a in run.answers if group_of(a) == name])
            cells.append(" ".join(_format(share)) if share.total else "-")
        rows.append((name.replace("_", " "), *cells))
    return TextTable(title, ("", *runs), tuple(rows))


def _draw_curve(runs: Mapping[str, Run], name: str) -> Iterator[tuple[str, dict[float, Share]]]:
    """Yield the points of each run; answers without the quantity are left out."""
    for label, run in runs.items():
        if name == "distance":
            groups = _part_by_distance(run.answers)
        else:
            groups = {}
            for answer in run.answers:
                value = DIALS[name](answer)
                if value is not None:
                    groups.setdefault(float(value), []).append(answer)
        if groups:
            yield label, {x: measure_share(groups[x]) for x in sorted(groups)}


def _part_by_distance(answers: Sequence[Answer]) -> dict[float, list[Answer]]:
    """Return answers in parts by distance, each by its median in thousands of tokens."""
    known = sorted(
        (answer for answer in answers if answer.distance is not None),
        key=lambda answer: answer.distance or 0,
    )
    parts: dict[float, list[Answer]] = {}
    number = min(DISTANCE_PARTS, len(known))
    for part in range(number):
        chosen = known[len(known) * part // number : len(known) * (part + 1) // number]
        median = round((chosen[len(chosen) // 2].distance or 0) / 1000, 1)
        parts.setdefault(median, []).extend(chosen)
    return parts


def _tabulate_curve(name: str, curve: Mapping[str, Mapping[float, Share]]) -> TextTable:
    values = sorted({x for points in curve.values() for x in points})
    rows = tuple(
        (label, *(_format_point(points.get(x)) for x in values)) for label, points in curve.items()
    )
    head = ("run", *(f"{x:g}" for x in values))
    known = len(values) > 1
    return TextTable(f"Accuracy against {_name_quantity(name)}", head, rows if known else ())


def _tabulate_roles(runs: Mapping[str, Run]) -> TextTable:
    """Say what wrong answers were: a former choice, somebody else's, one that was declined."""
    wrong = {
        label: Counter(a.role for a in run.answers if a.role and not a.score)
        for label, run in runs.items()
    }
    names = sorted(set().union(*wrong.values()))
    rows = tuple(
        (
            name.replace("_", " "),
            *(
                format_share(counts[name] / counts.total()) if counts else "-"
                for counts in wrong.values()
            ),
        )
        for name in names
    )
    return TextTable("Roles of the options chosen wrongly, as shares", ("role", *runs), rows)


def _compare_all(runs: Mapping[str, Run]) -> TextTable:
    rows = []
    for (one, first), (other, second) in combinations(runs.items(), 2):
        rows.append((f"{one} - {other}", *_format_difference(compare_runs(first, second))))
    return TextTable("Paired differences", ("runs", "difference", "p", "questions"), tuple(rows))


def _compare_with(
    runs: Mapping[str, Run], baseline: Sequence[Run]
) -> tuple[TextTable, tuple[str, ...], tuple[str, ...]]:
    """Return differences from the baseline, the runs that have one, and those that are worse."""
    rows, compared, worse = [], [], []
    for label, run in runs.items():
        for other in baseline:
            found = compare_runs(run, other)
            if other.task != run.task or not found.total:
                continue
            rows.append((f"{label} - {Path(other.model).name}", *_format_difference(found)))
            compared.append(label)
            if found.value < 0 and found.p_value < SIGNIFICANT:
                worse.append(label)
    head = ("runs", "difference", "p", "questions")
    return TextTable("Against the baseline", head, tuple(rows)), tuple(compared), tuple(worse)


def _describe_run(
    run: Run, label: str, curves: Mapping[str, Mapping[str, Mapping[float, Share]]]
) -> dict[str, Any]:
    types = sorted({answer.question_type for answer in run.answers})
    levels = sorted({answer.level for answer in run.answers} - {""})
    return {
        "model": run.model,
        "task": run.task,
        "dataset": run.dataset,
        "accuracy": asdict(measure_share(run.answers)),
        "unparsable": run.unparsable,
        "types": {
            name: asdict(measure_share([a for a in run.answers if a.question_type == name]))
            for name in types
        },
        "levels": {
            name: asdict(measure_share([a for a in run.answers if a.level == name]))
            for name in levels
        },
        "curves": {
            name: {f"{x:g}": asdict(share) for x, share in curve.get(label, {}).items()}
            for name, curve in curves.items()
        },
        "wrong_roles": dict(Counter(a.role for a in run.answers if a.role and not a.score)),
        **({"memory": describe_memory(run.served)} if run.memory else {}),
    }


def _format(share: Share) -> tuple[str, str]:
    return format_share(share.value), f"{share.low:.3f}-{share.high:.3f}"


def _format_point(share: Share | None) -> str:
    return format_share(share.value if share else math.nan)


def _format_difference(found: Difference) -> tuple[str, str, str]:
    if not found.total:
        return "-", "-", "none in common"
    return f"{found.value:+.3f}", f"{found.p_value:.4f}", f"{found.total:,}"
