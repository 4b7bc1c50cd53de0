"""The open questions of a dataset of ours as an audit reads them, at all noise levels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.core.findings import Check, Finding, Section, Violations
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personabench.audit.findings import (
    judge_communities,
    judge_figures,
)
from personamem.dataset_builder.families.personabench.config import PersonaBenchConfig, configure
from personamem.dataset_builder.families.personabench.rows import OpenTables, Row
from personamem.dataset_builder.families.subject import AuditSubject, CheckedContext
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.manifest import MANIFEST, Manifest, check_file, read_manifest
from personamem.loaders.formats.sources import find_files, parse_source
from personamem.loaders.personabench.schema import (
    DOCUMENTS_SCHEMA,
    NOISE_SPLITS,
    OPEN_QUESTIONS_SCHEMA,
)

COMMUNITIES = "communities"
"""The part of an audit that is about the open questions, at all noise levels."""

FILES = Check(
    Section.STRUCTURE,
    "files",
    "Files with another size, sha256 or row count than the manifest says.",
)
READABLE = Check(Section.STRUCTURE, "readable rows", "Rows and files that a loader refuses.")
COLUMNS = Check(Section.STRUCTURE, "columns", "Columns that are missing or of another type.")

_SCHEMAS: Mapping[str, Any] = {
    "documents": DOCUMENTS_SCHEMA,
    "open_questions": OPEN_QUESTIONS_SCHEMA,
}
_JSON = "communities.json"


@dataclass(frozen=True)
class CommunitiesSubject(AuditSubject):
    """The open questions of a dataset; ``config`` is None where the manifest has no usable one."""

    tables: OpenTables
    config: PersonaBenchConfig | None
    violations: Violations

    @property
    def part(self) -> str:
        """One part for all noise levels."""
        return COMMUNITIES

    @property
    def layout(self) -> str:
        """The format of datasets of ours."""
        return "personamem"

    @property
    def ours(self) -> bool:
        """Only datasets of ours are audited."""
        return True

    @property
    def num_questions(self) -> int:
        """The questions, the same at every noise level."""
        lowest = min(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
        return len(self.tables.questions[lowest])

    @property
    def num_contexts(self) -> int:
        """The documents at the highest noise level, which holds all others."""
        highest = max(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
        return len(self.tables.documents[highest])

    def judge(self, contexts: Sequence[CheckedContext]) -> list[Finding]:
        """Return all findings on the open questions."""
        findings = self.violations.as_findings((FILES, READABLE, COLUMNS))
        if self.violations.count(COLUMNS):
            return findings
        if self.config is None:
            return findings + judge_figures(len(self.tables.communities), self.tables)
        return findings + judge_communities(self.config, self.tables)


def read_communities(source: str | Path) -> CommunitiesSubject:
    """Read the open questions of ``source``.

    Raises:
        DatasetError: the source has none, or a table cannot be read at all.
    """
    names = [f"{kind}/{split}.parquet" for kind in _SCHEMAS for split in NOISE_SPLITS]
    folder = find_files(parse_source(source), [MANIFEST, _JSON, *names])
    manifest = read_manifest(folder / MANIFEST)
    violations = Violations()
    _check_files(manifest, folder, (_JSON, *names), violations)
    tables = _read_tables(folder, violations)
    return CommunitiesSubject(tables, _read_config(manifest, violations), violations)


def _check_files(
    manifest: Manifest, folder: Path, names: tuple[str, ...], violations: Violations
) -> None:
    for name in names:
        try:
            check_file(manifest, name, folder / name)
        except DatasetError as error:
            violations.add(FILES, str(error))


def _read_tables(folder: Path, violations: Violations) -> OpenTables:
    rows: dict[str, dict[str, list[Row]]] = {kind: {} for kind in _SCHEMAS}
    for kind, table_schema in _SCHEMAS.items():
        for split in NOISE_SPLITS:
            path = folder / kind / f"{split}.parquet"
            try:
                table = pq.read_table(path)
            except (OSError, pa.ArrowException) as error:
                raise DatasetError(f"{path} cannot be read: {error}") from error
            try:
                # Parquet has no seconds: times come back in milliseconds.
                table = table.cast(table_schema)
            except (ValueError, pa.ArrowException) as error:
                violations.add(COLUMNS, f"{kind}/{path.name}: {error}")
            rows[kind][split] = table.to_pylist()
    communities = read_json_file(folder / _JSON)
    return OpenTables(communities, rows["documents"], rows["open_questions"])


def _read_config(manifest: Manifest, violations: Violations) -> PersonaBenchConfig | None:
    try:
        return configure(make_config(**manifest.config))
    except (InvalidInputError, TypeError) as error:
        violations.add(FILES, f"{MANIFEST}: the configuration cannot be used: {error}")
        return None
