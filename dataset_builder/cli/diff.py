"""``personamem diff``: what changed between two versions of a dataset."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.core.console import output
from personamem.loaders.formats.whole_files import prepare_file, write_whole

if TYPE_CHECKING:
    from personamem.dataset_builder.packaging.diff import Difference, SplitDifference

_HELP = "Folder of a dataset, or a Hub id, optionally with @revision."


def diff(
    a: Annotated[str, typer.Argument(help=f"The old version. {_HELP}")],
    b: Annotated[str, typer.Argument(help=f"The new version. {_HELP}")],
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all differences to this file.")
    ] = None,
) -> None:
    """Show what changed between two versions: settings, files, questions, contexts, tokens.

    Rows are compared by their id, column by column. Tables with equal hashes are not read. Messages
    are read where two tables of contexts differ but ids are the same. Other files are compared by
    the hashes in the manifests. The exit code is 0 whatever differs.

    Example: personamem diff data-1.0.0 me/my-benchmark@v1.1.0 --json changes.json
    """
    from personamem.dataset_builder.packaging.diff import compare_datasets

    prepare_file(json_file)
    difference = compare_datasets(a, b)
    if json_file:
        text = json.dumps(asdict(difference), indent=2, ensure_ascii=False)
        write_whole(json_file, text + "\n")
    if difference.is_empty:
        output().print("No difference.")
        return
    for table in _make_tables(difference):
        output().print(table)


def _make_tables(difference: "Difference") -> list[Table]:
    tables = []
    title = escape(f"{difference.source_a} to {difference.source_b}")
    settings: Mapping[str, tuple[Any, Any]] = {
        **difference.settings,
        **{f"config: {key}": pair for key, pair in difference.config.items()},
    }
    if settings:
        table = Table("setting", "A", "B", title=title)
        for key, pair in settings.items():
            table.add_row(escape(key), *(escape(_show(value)) for value in pair))
        tables.append(table)
    table = Table(title="Splits" if settings else title)
    for column in ("split", "rows of", "A", "B", "added", "removed", "changed", "by column"):
        table.add_column(column, justify="right" if column[0] in "ABarc" else "left")
    for split in difference.splits:
        _add_split(table, split)
    tables.append(table)
    if difference.files:
        table = Table("file", "change", title="Files")
        for name, change in difference.files.items():
            table.add_row(escape(name), change)
        tables.append(table)
    return tables


def _add_split(table: Table, split: "SplitDifference") -> None:
    totals = {
        "benchmark": split.questions,
        "annotations": split.questions,
        "contexts": split.contexts,
    }
    for kind, pair in totals.items():
        rows = split.tables.get(kind)
        groups = (rows.added, rows.removed, rows.changed) if rows else ()
        changes = [f"{len(group):,}" for group in groups] or ["="] * 3
        counts = rows.count_columns() if rows else {}
        columns = ", ".join(f"{name} {n:,}" for name, n in counts.items())
        table.add_row(split.split, kind, *map(_count, pair), *changes, escape(columns))
    table.add_row(split.split, "(tokens)", *map(_count, split.tokens), "", "", "", "")


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False) if not isinstance(value, str) else value
    return text if len(text) <= 60 else f"{text[:57]}..."
