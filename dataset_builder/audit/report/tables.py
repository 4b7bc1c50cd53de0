"""The tables of an audit for the terminal: findings by section."""

from collections.abc import Iterator

from rich.markup import escape
from rich.table import Table

from personamem.dataset_builder.audit.run import PartAudit
from personamem.dataset_builder.core.findings import Finding, Section
from personamem.dataset_builder.reports import format_figure

SHOWN_ROWS = 3


def make_tables(audit: PartAudit) -> Iterator[Table]:
    """Yield a table a section; failed checks name the first rows at fault."""
    for section in Section:
        findings = [finding for finding in audit.findings if finding.section is section]
        if not findings:
            continue
        table = Table(
            title=f"{escape(audit.part)}, {section.value}",
            title_justify="left",
            show_edge=False,
            pad_edge=False,
        )
        table.add_column("check")
        table.add_column("figure", justify="right")
        table.add_column("accepted")
        table.add_column("")
        for finding in findings:
            table.add_row(
                escape(finding.check),
                format_figure(finding.figure),
                escape(finding.threshold),
                _describe(finding),
            )
        yield table


def _describe(finding: Finding) -> str:
    if finding.passed is None:
        return "[dim]info[/]"
    if finding.passed:
        return "[green]ok[/]"
    rows = "".join(f"\n  {escape(row)}" for row in finding.rows[:SHOWN_ROWS])
    return f"[bold red]failed[/]{rows}"
