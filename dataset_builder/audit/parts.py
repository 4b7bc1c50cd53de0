"""The parts of a dataset that an audit looks at one by one: its splits, and its open questions."""

from collections.abc import Sequence
from pathlib import Path

from personamem.dataset_builder.families.personabench.audit.source import (
    COMMUNITIES,
    audit_communities,
    has_communities,
)
from personamem.dataset_builder.families.personamem.audit.run import Report, SplitAudit, audit_split
from personamem.loaders.formats.sources import list_splits


def list_parts(source: str | Path) -> list[str]:
    """Return the splits of a source, and ``communities`` if it has open questions.

    Raises:
        DatasetError: the source is no dataset.
    """
    return [*list_splits(source), *([COMMUNITIES] if has_communities(source) else [])]


def audit_part(
    source: str | Path,
    part: str,
    parts: Sequence[str],
    baselines: Sequence[str] = (),
    workers: int = 1,
    report: Report = lambda split, done, total: None,
) -> SplitAudit:
    """Audit one of ``parts``, which are all that the whole audit looks at; see ``audit_split``."""
    if part == COMMUNITIES:
        return audit_communities(source)
    splits = len(parts) - (COMMUNITIES in parts)
    return audit_split(source, part, baselines, workers, splits, report)
