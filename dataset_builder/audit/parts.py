"""The parts of a source that an audit looks at one by one, over all families."""

from collections.abc import Sequence
from pathlib import Path

from personamem.dataset_builder.audit.run import PartAudit, Report, audit_subject
from personamem.dataset_builder.families.registry import list_families
from personamem.loaders.formats.errors import DatasetError, unknown_choice


def list_parts(source: str | Path) -> list[str]:
    """Return the names of the parts of a source, family by family.

    Raises:
        DatasetError: the source is no dataset of any family.
    """
    parts = [part for family in list_families() for part in family.list_parts(source)]
    if not parts:
        raise DatasetError(f"{source} holds nothing that can be audited.")
    return parts


def audit_part(
    source: str | Path,
    part: str,
    parts: Sequence[str],
    baselines: Sequence[str] = (),
    workers: int = 1,
    report: Report = lambda part, done, total: None,
) -> PartAudit:
    """Audit one of ``parts``, which are all that the whole audit looks at; see ``audit_subject``.

    Raises:
        InvalidInputError: the source has no such part.
    """
    for family in list_families():
        if part in family.list_parts(source):
            subject = family.open_part(source, part)
            return audit_subject(subject, baselines, workers, len(parts), report)
    raise unknown_choice(f"split of {source}", part, list_parts(source))
