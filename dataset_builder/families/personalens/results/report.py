"""The report on dialogues: scores, domains, ends, comparisons, agreement, and published figures."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Any

from personamem.dataset_builder.families.personalens.results.agreement import (
    Annotation,
    compare_judges,
    compare_with_people,
)
from personamem.dataset_builder.families.personalens.results.published_tables import (
    tabulate_kappas,
    tabulate_published,
)
from personamem.dataset_builder.families.personalens.results.records import (
    DIMENSIONS,
    FAILED,
    JudgedDialogue,
    LensRun,
)
from personamem.dataset_builder.families.personalens.results.statistics import (
    Estimate,
    compare_settings,
    measure_mean,
    score_of,
)
from personamem.dataset_builder.reports.lines import draw_lines
from personamem.dataset_builder.reports.results import Figure, ResultsReport
from personamem.dataset_builder.reports.tables import TextTable, format_share
from personamem.loaders.personalens.schema import DOMAINS

_NOTE = (
    "Means over all dialogues with a verdict that can be read; intervals of 95 % and p-values "
    "allow for users having many dialogues each. Task completion is a share; personalization is "
    "graded from 1 to 4, naturalness and coherence from 1 to 5. Dialogues of several domains count "
    "in each of them."
)


def describe_runs(runs: Sequence[LensRun], annotations: Sequence[Annotation] = ()) -> ResultsReport:
    """Return the report on some runs, and on annotations of their dialogues."""
    labelled = dict(zip(label_runs(runs), runs, strict=True))
    people = compare_with_people(runs, annotations) if annotations else {}
    judges = {name: found for name, run in labelled.items() if (found := compare_judges(run))}
    turns = {name: dict(measure_turns(run)) for name, run in labelled.items()}
    tables = [
        _tabulate_scores(labelled),
        *_tabulate_domains(labelled),
        _tabulate_ends(labelled),
        _tabulate_errors(labelled),
        _tabulate_missing(labelled),
        _tabulate_differences(labelled),
        _tabulate_turns(turns),
        *(tabulate_kappas(f"Judges of {name}", found) for name, found in judges.items()),
        *(tabulate_kappas(f"People and {name}", found, True) for name, found in people.items()),
        *tabulate_published(labelled),
    ]
    curve = {
        name: {float(turn): each.mean / 4 for turn, each in found.items()}
        for name, found in turns.items()
        if found
    }
    return ResultsReport(
        title="PersonaLens: dialogues",
        tables=tuple(table for table in tables if table.rows),
        figures=(Figure("Personalization by turn, as a share of 4", draw_lines(curve, "turn")),),
        scores={
            name: measure_mean(run.dialogues, score_of("task_completion")).mean
            for name, run in labelled.items()
        },
        data=replace_nan(
            {
                "runs": {name: _describe_run(run, turns[name]) for name, run in labelled.items()},
                "differences": list(_describe_differences(labelled)),
                "judges": {name: [asdict(a) for a in found] for name, found in judges.items()},
                "people": {name: [asdict(a) for a in found] for name, found in people.items()},
            }
        ),
        note=_NOTE,
    )


def label_runs(runs: Sequence[LensRun]) -> list[str]:
    """Return a label for each run: short, and longer where runs share it."""
    counts = Counter(run.label for run in runs)
    labels = []
    for run in runs:
        more = f" ({run.user}; {', '.join(run.judges)}; {run.source})"
        labels.append(run.label if counts[run.label] == 1 else run.label + more)
    seen: Counter[str] = Counter()
    for place, label in enumerate(labels):
        seen[label] += 1
        if seen[label] > 1:
            labels[place] = f"{label} #{seen[label]}"
    return labels


def measure_turns(run: LensRun) -> Iterator[tuple[int, Estimate]]:
    """Yield the mean grade after each turn, over the dialogues that have as many turns."""
    most = max((len(v.turns) for each in run.dialogues for v in each.by_turn), default=0)

    def value_at(place: int) -> Callable[[JudgedDialogue], float | None]:
        def value_of(dialogue: JudgedDialogue) -> float | None:
            values = [v.turns[place] for v in dialogue.by_turn if len(v.turns) > place]
            return sum(values) / len(values) if values else None

        return value_of

    for place in range(most):
        yield place + 1, measure_mean(run.dialogues, value_at(place))


def replace_nan(value: Any) -> Any:
    """Return plain values in which what is not a number is None, as JSON needs it."""
    if isinstance(value, dict):
        return {str(key): replace_nan(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [replace_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _tabulate_scores(runs: Mapping[str, LensRun]) -> TextTable:
    rows = []
    for name, run in runs.items():
        found = [measure_mean(run.dialogues, score_of(each)) for each in DIMENSIONS]
        rows.append((name, f"{len(run.dialogues):,}", *map(_format_estimate, found)))
    head = ("run", "dialogues", *(each.replace("_", " ") for each in DIMENSIONS))
    return TextTable("Scores", head, tuple(rows))


def _tabulate_domains(runs: Mapping[str, LensRun]) -> Iterator[TextTable]:
    for kind, words in (("SD", "one domain"), ("MD", "several domains")):
        chosen = {name: run for name, run in runs.items() if run.kind == kind}
        for dimension in ("task_completion", "personalization"):
            rows = []
            for domain in DOMAINS:
                parts = [_of_domain(run, domain) for run in chosen.values()]
                if any(parts):
                    found = [measure_mean(part, score_of(dimension)) for part in parts]
                    rows.append((domain, *map(_format_estimate, found)))
            title = f"{dimension.replace('_', ' ').capitalize()}, tasks of {words}, by domain"
            yield TextTable(title, ("domain", *chosen), tuple(rows))


def _of_domain(run: LensRun, domain: str) -> list[JudgedDialogue]:
    return [each for each in run.dialogues if domain in each.domains]


def _tabulate_ends(runs: Mapping[str, LensRun]) -> TextTable:
    ends = sorted({each.ended for run in runs.values() for each in run.dialogues})
    rows = []
    for name, run in runs.items():
        counts = Counter(each.ended for each in run.dialogues)
        held = [each for each in run.dialogues if each.ended != FAILED]
        rows.append(
            (
                name,
                *(f"{counts[end]:,}" for end in ends),
                _format_mean([each.messages for each in held]),
                _format_mean([each.pairs for each in held]),
                f"{sum(each.empty_replies for each in held):,}",
                f"{sum(each.stop_words for each in held):,}",
            )
        )
    more = ("messages", "pairs", "empty replies", "stop words of the assistant")
    return TextTable(
        "Why dialogues ended, and how long they were", ("run", *ends, *more), tuple(rows)
    )


def _tabulate_errors(runs: Mapping[str, LensRun]) -> TextTable:
    rows = [
        (f"{name}: {error}", f"{count:,}")
        for name, run in runs.items()
        for error, count in count_errors(run).most_common()
    ]
    return TextTable("Why dialogues failed", ("run and error", "dialogues"), tuple(rows))


def count_errors(run: LensRun) -> Counter[str]:
    """Return how many dialogues failed, by the message of the error."""
    return Counter(each.error for each in run.dialogues if each.error)


def _tabulate_missing(runs: Mapping[str, LensRun]) -> TextTable:
    rows = []
    for name, run in runs.items():
        counts = count_unreadable(run)
        rows.append((name, *(f"{counts[each].total():,}" for each in DIMENSIONS)))
    head = ("run", *(each.replace("_", " ") for each in DIMENSIONS))
    return TextTable(
        "Verdicts that cannot be read", head, tuple(rows), "They count in no mean, nor as False."
    )


def count_unreadable(run: LensRun) -> dict[str, Counter[str]]:
    """Return how many verdicts there are not, by dimension and reason."""
    return {
        name: Counter(
            verdict.reason
            for dialogue in run.dialogues
            for verdict in dialogue.verdicts.get(name, ())
            if verdict.reason
        )
        for name in DIMENSIONS
    }


def _describe_differences(runs: Mapping[str, LensRun]) -> Iterator[dict[str, Any]]:
    for (one, run), (other, second) in combinations(runs.items(), 2):
        if run.peers == second.peers:
            yield {
                "runs": [one, other],
                "kind": run.kind,
                "dimensions": {
                    name: asdict(compare_settings(run, second, name)) for name in DIMENSIONS
                },
            }


def _tabulate_differences(runs: Mapping[str, LensRun]) -> TextTable:
    rows = []
    for pair in _describe_differences(runs):
        cells = [
            "-" if not each["total"] else f"{each['mean']:+.3f} (p {each['p_value']:.3f})"
            for each in pair["dimensions"].values()
        ]
        rows.append((" - ".join(pair["runs"]), *cells))
    head = ("runs", *(each.replace("_", " ") for each in DIMENSIONS))
    return TextTable("Paired differences of settings", head, tuple(rows))


def _tabulate_turns(turns: Mapping[str, Mapping[int, Estimate]]) -> TextTable:
    known = {name: found for name, found in turns.items() if found}
    columns = sorted({turn for found in known.values() for turn in found})
    rows = [
        (name, *(_format_estimate(found[t]) if t in found else "-" for t in columns))
        for name, found in known.items()
    ]
    return TextTable("Personalization by turn", ("run", *map(str, columns)), tuple(rows))


def _describe_run(run: LensRun, turns: Mapping[int, Estimate]) -> dict[str, Any]:
    def measure(dialogues: Sequence[JudgedDialogue]) -> dict[str, Any]:
        return {name: asdict(measure_mean(dialogues, score_of(name))) for name in DIMENSIONS}

    domains = [name for name in DOMAINS if _of_domain(run, name)]
    return {
        "model": run.model,
        "setting": run.setting,
        "kind": run.kind,
        "user": run.user,
        "judges": list(run.judges),
        "source": run.source,
        "dialogues": len(run.dialogues),
        "ended": dict(Counter(each.ended for each in run.dialogues)),
        "errors": dict(count_errors(run)),
        "pairs": sum(each.pairs for each in run.dialogues),
        "messages": sum(each.messages for each in run.dialogues),
        "empty_replies": sum(each.empty_replies for each in run.dialogues),
        "stop_words": sum(each.stop_words for each in run.dialogues),
        "scores": measure(run.dialogues),
        "unreadable": {name: dict(found) for name, found in count_unreadable(run).items()},
        "domains": {name: measure(_of_domain(run, name)) for name in domains},
        "by_turn": {turn: asdict(found) for turn, found in turns.items()},
    }


def _format_estimate(found: Estimate) -> str:
    if not found.total:
        return "-"
    return f"{format_share(found.mean)} ({found.low:.3f}-{found.high:.3f})"


def _format_mean(numbers: Sequence[int]) -> str:
    return f"{sum(numbers) / len(numbers):.2f}" if numbers else "-"
