"""``personamem audit``: what a dataset tells somebody who never sees a conversation."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.cli.console import errors, output
from personamem.dataset_builder.errors import PersonamemError

if TYPE_CHECKING:
    from personamem.dataset_builder.audit.baselines import Baseline


class AuditError(PersonamemError):
    """A dataset that can be answered blind."""


def audit(
    source: Annotated[
        str, typer.Argument(help="Folder of a dataset, or a Hub id, optionally with @revision.")
    ],
    split: Annotated[
        list[str] | None, typer.Option(help="Split, repeatable, such as 32k. [default: all]")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write all figures to this file as well.")
    ] = None,
) -> None:
    """Measure how well policies do that see questions and options only.

    Each policy is held against chance, overall and on every question type: one-sided binomial
    tests, corrected after Holm. Works on our datasets and on the official release. The exit code is
    1 when a policy beats chance.

    Example: personamem audit data --split 32k
    """
    from personamem.dataset_builder.audit.baselines import run_blind_baselines
    from personamem.dataset_builder.audit.records import items_of
    from personamem.loaders import load_personamem
    from personamem.loaders.sources import list_splits

    results: dict[str, Sequence[Baseline]] = {}
    for name in split or list_splits(source):
        items = items_of(load_personamem(source, name))
        with errors().status(f"{name}: {len(items):,} questions") as status:
            results[name] = run_blind_baselines(items, status.update)
        output().print(_table(name, len(items), results[name]))
    if json_file:
        _write_json(json_file, source, results)
    failed = [
        f"{name}, {row.policy}, {row.question_type} ({100 * row.accuracy.share:.1f} %)"
        for name, rows in results.items()
        for row in rows
        if not row.passed
    ]
    if failed:
        raise AuditError(f"{source} can be answered blind: {'; '.join(failed)}.")


def _table(split: str, questions: int, rows: Sequence["Baseline"]) -> Table:
    table = Table(title=f"Blind policies on {escape(split)}, {questions:,} questions")
    table.add_column("policy")
    for column in ("right", "95 % interval", "highest on a type", "p (Holm), lowest", ""):
        table.add_column(column, justify="right")
    by_policy: dict[str, list[Baseline]] = {}
    for row in rows:
        by_policy.setdefault(row.policy, []).append(row)
    for policy, (overall, *types) in by_policy.items():
        accuracy = overall.accuracy
        passed = all(row.passed for row in (overall, *types))
        table.add_row(
            policy,
            f"{100 * accuracy.share:.1f} %",
            f"{100 * accuracy.low:.1f} - {100 * accuracy.high:.1f} %",
            f"{100 * max(row.accuracy.share for row in (types or [overall])):.1f} %",
            f"{min(row.p_corrected for row in (overall, *types)):.3f}",
            "ok" if passed else "[bold red]beats chance[/]",
        )
    return table


def _write_json(path: Path, source: str, results: Mapping[str, Sequence["Baseline"]]) -> None:
    report: dict[str, Any] = {
        "source": source,
        "splits": {name: [row.as_json() for row in rows] for name, rows in results.items()},
    }
    path.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
