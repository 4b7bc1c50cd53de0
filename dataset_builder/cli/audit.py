"""``personamem audit``: whether a dataset measures memory and nothing else."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.whole_files import prepare_file, write_whole

if TYPE_CHECKING:
    from personamem.dataset_builder.audit.run import PartAudit, Report


class AuditError(PersonamemError):
    """A dataset that fails a check."""


def audit(
    source: Annotated[
        str, typer.Argument(help="Folder of a dataset, or a Hub id, optionally with @revision.")
    ],
    split: Annotated[
        list[str] | None, typer.Option(help="Split, repeatable, such as 32k. [default: all]")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all findings to this file.")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with plots to this file.")
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            help="Baseline to run, repeatable; lm:FOLDER is a language model without context. "
            "[default: all but language models]"
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Worker processes. [default: one per core]")
    ] = None,
) -> None:
    """Check that a dataset measures memory and nothing else.

    Structure: ids, references, counts, budgets, balance, what the manifest states. Truth: the world
    of a dataset of ours is rebuilt and answers every question. Blind: policies that see only
    question and options, or only other columns, are compared with chance. Shallow: policies that
    match words of the context. Text: diversity, duplicates, residue of templates, personal data.
    Open questions: the documents are searched for the answers and for contradictions.

    A sound dataset is refused with a probability of at most 0.001.

    Reads datasets of personamem and the official releases of PersonaMem, v1 and v2. Exit code 1
    when a check fails, 2 when the source cannot be read.

    Example: personamem audit data --split 32k --html audit.html
    """
    from personamem.dataset_builder.audit.parts import AuditSource
    from personamem.dataset_builder.audit.report import make_tables, render_page
    from personamem.dataset_builder.audit.run import choose_baselines
    from personamem.dataset_builder.audit.stored import make_report

    choose_baselines(baseline or ())
    prepare_file(json_file)
    prepare_file(html_file)
    audits: list[PartAudit] = []
    opened = AuditSource(source)
    parts = split or opened.parts
    for part in parts:
        with _progress() as report:
            audited = opened.audit_part(
                part, parts, baseline or (), workers or os.cpu_count() or 1, report
            )
        audits.append(audited)
        for table in make_tables(audited):
            output().print(table)
            output().print()
    if json_file:
        report_text = json.dumps(make_report(source, audits), indent=2, ensure_ascii=False)
        write_whole(json_file, report_text + "\n")
    if html_file:
        write_whole(html_file, render_page(source, audits))
    failed = [
        f"{audited.part}: {', '.join(finding.check for finding in audited.failures)}"
        for audited in audits
        if audited.failures
    ]
    if failed:
        raise AuditError(f"{source} fails the audit. {'; '.join(failed)}.")
    output().print(f"Every check passed: {', '.join(audited.part for audited in audits)}.")


@contextmanager
def _progress() -> Iterator["Report"]:
    """Yield a function that shows how far an audit is: one line, on a terminal only."""
    with errors().status("reading") as status:

        def report(split: str, done: int, total: int) -> None:
            rest = " (measuring baselines)" if done == total else ""
            status.update(f"{split}: {done} of {total} contexts{rest}")

        yield report
