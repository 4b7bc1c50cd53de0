"""Pages of a site that hold tables: the audit of the dataset, and the report on its runs."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.reports.results import ResultsReport
from personamem.dataset_builder.reports.tables import TextTable
from personamem.dataset_builder.reports.template import format_figure
from personamem.loaders.formats.audit_record import (
    OVERALL,
    AuditRecord,
    FindingRecord,
    PartRecord,
    parse_audit,
)
from personamem.loaders.formats.errors import InvalidInputError

_VERDICTS = {True: "ok", False: "failed", None: "not required"}


@dataclass(frozen=True, slots=True)
class SitePage:
    """Tables under a title, with a sentence before them; ``note`` may be empty."""

    title: str
    note: str
    tables: tuple[TextTable, ...]


def make_report_page(report: ResultsReport) -> SitePage:
    """Return the tables of a report on results; its plots are curves of the same figures."""
    return SitePage(f"Results: {report.title}", report.note, tuple(report.tables))


def read_audit_page(path: Path, manifest_sha256: str | None) -> SitePage:
    """Return the audit in ``path`` of the dataset whose manifest has this digest.

    Raises:
        InvalidInputError: it cannot be read, is no audit, or is about another dataset.
    """
    try:
        record = parse_audit(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInputError(
            f"{path} is not what `personamem audit --json` writes: {error}."
        ) from error
    if record.manifest_sha256 != manifest_sha256:
        raise InvalidInputError(
            f"{path} is about another dataset. Accepted: what `personamem audit SOURCE --json` "
            "writes about this one."
        )
    return make_audit_page(record)


def make_audit_page(record: AuditRecord) -> SitePage:
    """Return the findings of each part, and what baselines reach on its questions."""
    failures = record.list_failures()
    verdict = f"Failed: {', '.join(failures)}." if failures else "Every check passed."
    tables = [
        table for name, part in record.parts.items() for table in _make_part_tables(name, part)
    ]
    return SitePage(
        "Audit", f"{verdict} Checked with personamem {record.personamem}.", tuple(tables)
    )


def _make_part_tables(name: str, part: PartRecord) -> Iterator[TextTable]:
    head = ("check", "verdict", "figure", "accepted", "what is checked")
    rows = tuple(_make_row(finding) for finding in part.findings)
    yield TextTable(f"{name}: findings", head, rows)
    baselines = tuple(
        (
            score.policy,
            f"{score.accuracy:.3f}",
            f"{score.interval_95[0]:.3f}-{score.interval_95[1]:.3f}",
            f"{score.questions:,}",
        )
        for scores in part.baselines.values()
        for score in scores
        if score.question_type == OVERALL
    )
    if baselines:
        columns = ("policy", "accuracy", "interval of 95 %", "questions")
        yield TextTable(f"{name}: what policies without memory reach", columns, baselines)


def _make_row(finding: FindingRecord) -> tuple[str, ...]:
    more: Mapping[str, Any] = finding.model_extra or {}
    figure = more.get("figure")
    return (
        f"{finding.section}: {finding.check}",
        _VERDICTS[finding.passed],
        format_figure(figure) if isinstance(figure, (int, float)) else "-",
        str(more.get("threshold") or ""),
        str(more.get("what") or ""),
    )
