"""The parts of a source that an audit looks at one by one, over all families."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from personamem.dataset_builder.audit.run import PartAudit, Report, audit_subject
from personamem.dataset_builder.audit.whole import WHOLE, WholeSubject
from personamem.dataset_builder.families.registry import list_families
from personamem.dataset_builder.families.subject import AuditSubject
from personamem.loaders.formats.errors import DatasetError, unknown_choice
from personamem.loaders.formats.manifest import MANIFEST, read_manifest
from personamem.loaders.formats.sources import find_files, parse_source


class AuditSource:
    """A source and its parts. Each file belongs to one part and is read by that alone.

    A dataset of ours has the part ``dataset``, for what belongs to no family; then come the parts
    of the families.
    """

    def __init__(self, source: str | Path) -> None:
        """Find the parts.

        Raises:
            DatasetError: the source is no dataset of any family.
        """
        self._source = source
        self._open: dict[str, Callable[[], AuditSubject]] = {}
        owned: set[str] = set()
        for family in list_families():
            for part in family.list_parts(source):
                self._open[part] = partial(family.open_part, source, part)
                owned.update(family.list_files(part))
        if not self._open:
            raise DatasetError(f"{source} holds nothing that can be audited.")
        parsed = parse_source(source)
        folder = find_files(parsed, [MANIFEST])
        if (folder / MANIFEST).exists():
            manifest = read_manifest(folder / MANIFEST)
            others = tuple(name for name in manifest.files if name not in owned)
            whole = WholeSubject(manifest, folder, others, parsed.folder is not None)
            self._open = {WHOLE: lambda: whole, **self._open}

    @property
    def parts(self) -> list[str]:
        """The names of the parts."""
        return list(self._open)

    def audit_part(
        self,
        part: str,
        parts: Sequence[str],
        baselines: Sequence[str] = (),
        workers: int = 1,
        report: Report = lambda part, done, total: None,
    ) -> PartAudit:
        """Audit one of ``parts``, which are all that the whole audit looks at.

        Raises:
            DatasetError: a file cannot be read at all.
            InvalidInputError: the source has no such part, or an unknown baseline.
        """
        if part not in self._open:
            raise unknown_choice(f"split of {self._source}", part, self.parts)
        tested = sum(name != WHOLE for name in parts)
        return audit_subject(self._open[part](), baselines, workers, max(1, tested), report)
