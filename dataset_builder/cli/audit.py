"""``personamem audit``: whether a dataset measures memory, and nothing else."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.core.whole_files import prepare_file, write_whole
from personamem.loaders.formats.errors import PersonamemError

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
        Path | None, typer.Option("--json", help="Write all findings to this file as well.")
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Write a page with plots to this file as well.")
    ] = None,
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            help="Baseline to run, repeatable; lm:FOLDER is a language model without context. "
            "[default: all but language models]"
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes. [default: one a core]")
    ] = None,
) -> None:
    """Prove that a dataset measures memory, and nothing else.

    Structure: ids, references, counts, budgets, balance, what the manifest states. Truth (datasets
    of ours): the world is built anew and answers every question. Blind: policies that see question
    and options, or only the other columns, against chance. Shallow: policies that match words in
    the context. Text: diversity, duplicates, residue of templates, personal data. Open questions:
    the documents are searched for the answers, and for what contradicts them.

    A sound dataset is refused with a probability of at most 0.001.

    Reads our datasets and the official releases, v1 and v2. Exit code 1 when a check fails, 2 when
    the source cannot be read.

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
