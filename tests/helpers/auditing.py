"""Audits of one split, as tests ask for them."""

from collections.abc import Sequence
from pathlib import Path

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.audit.run import PartAudit


def audit_split(source: str | Path, split: str, baselines: Sequence[str] = ()) -> PartAudit:
    """Audit one split alone, in this process."""
    return AuditSource(source).audit_part(split, [split], baselines)
