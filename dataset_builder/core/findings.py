"""Findings: what a check measured, what is accepted, and which rows are at fault."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from personamem.loaders.formats.errors import PersonamemError

KEPT_ROWS = 20
"""Offending rows that a finding names; the others are counted."""

ROW_LETTERS = 400
"""Letters of an offending row that are kept: a cell may be huge."""


class GateError(PersonamemError):
    """A dataset that must not be packaged; the message names the checks and the rows."""


class Section(StrEnum):
    """The parts of an audit, in the order of its report."""

    STRUCTURE = "structure"
    TRUTH = "truth"
    BLIND = "blind"
    SHALLOW = "shallow"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Check:
    """A named check. ``what`` is one sentence that a reader of the report understands."""

    section: Section
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check on one split.

    ``figure`` is what was measured and ``threshold`` says what is accepted, in the same unit.
    ``passed`` is None where nothing is required of this kind of dataset: a figure to know.
    ``rows`` name at most ``KEPT_ROWS`` of the ``offenders`` that are at fault.
    """

    section: Section
    check: str
    what: str
    figure: float | int | None
    threshold: str
    passed: bool | None
    rows: tuple[str, ...] = ()
    offenders: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {
            "section": self.section.value,
            "check": self.check,
            "what": self.what,
            "figure": self.figure,
            "threshold": self.threshold,
            "passed": self.passed,
            "offenders": self.offenders,
            "rows": list(self.rows),
        }


class Violations:
    """Offending rows by check, gathered in parts and merged. Order of arrival is kept."""

    def __init__(self) -> None:
        """Start with no violation."""
        self._rows: dict[Check, list[str]] = {}
        self._counts: dict[Check, int] = {}

    def add(self, check: Check, row: str) -> None:
        """Count one offending row; the first ``KEPT_ROWS`` are remembered."""
        self._counts[check] = self._counts.get(check, 0) + 1
        rows = self._rows.setdefault(check, [])
        if len(rows) < KEPT_ROWS:
            rows.append(row if len(row) <= ROW_LETTERS else f"{row[:ROW_LETTERS]}...")

    def merge(self, other: "Violations") -> None:
        """Add all violations of ``other``."""
        for check, count in other._counts.items():
            self._counts[check] = self._counts.get(check, 0) + count
            rows = self._rows.setdefault(check, [])
            rows.extend(other._rows[check][: KEPT_ROWS - len(rows)])

    def count(self, check: Check) -> int:
        """Return how many rows offend against ``check``."""
        return self._counts.get(check, 0)

    def rows(self, check: Check) -> tuple[str, ...]:
        """Return the rows that are remembered."""
        return tuple(self._rows.get(check, ()))

    def found(self) -> tuple[Check, ...]:
        """Return the checks with an violation."""
        return tuple(self._counts)

    def as_findings(self, checks: Iterable[Check], required: bool = True) -> list[Finding]:
        """Return one finding a check: its figure is the number of offending rows.

        ``required`` tells whether an violation fails the check or is only told.
        """
        return [
            Finding(
                section=check.section,
                check=check.name,
                what=check.what,
                figure=self.count(check),
                threshold="0",
                passed=not self.count(check) if required else None,
                rows=self.rows(check),
                offenders=self.count(check),
            )
            for check in checks
        ]
