"""``audit.json``: the audit of a dataset as it is stored and published with it.

Keys that no reader here needs are kept as they are.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

AUDIT = "audit.json"
OVERALL = "overall"
"""The ``question_type`` of a score over all questions."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class FindingRecord(_Record):
    """The outcome of one check; ``passed`` is None where nothing is required."""

    section: str
    check: str
    passed: bool | None


class ScoreRecord(_Record):
    """The accuracy of one baseline on the questions of one type, from 0 to 1."""

    policy: str
    question_type: str
    questions: int = Field(ge=0)
    accuracy: float = Field(ge=0, le=1)
    interval_95: tuple[float, float]


class PartRecord(_Record):
    """The audit of one part of a dataset: its findings, and its baselines by kind."""

    findings: tuple[FindingRecord, ...]
    baselines: Mapping[str, tuple[ScoreRecord, ...]]


class AuditRecord(_Record):
    """The whole audit.

    ``manifest_sha256`` names the dataset, None for a source without a manifest at hand.
    ``personamem`` is the version of the package whose checks ran. ``content_sha256`` is the digest
    of all but ``source`` and itself.
    """

    source: str
    manifest_sha256: str | None
    personamem: str
    content_sha256: str
    parts: Mapping[str, PartRecord]

    def list_failures(self) -> list[str]:
        """Return "part: check" for every check that failed."""
        return [
            f"{name}: {finding.check}"
            for name, part in self.parts.items()
            for finding in part.findings
            if finding.passed is False
        ]


def parse_audit(value: Any) -> AuditRecord:
    """Return a stored audit. Raises ValueError that names the first key at fault."""
    try:
        return AuditRecord.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the audit"
        raise ValueError(f"{where}: {first['msg']}") from error
