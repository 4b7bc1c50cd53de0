"""The open questions of a dataset of ours as an audit reads them, at all noise levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.core.findings import Check, Finding, Section, Violations
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.facts import FACTS, FILES, check_facts, check_files
from personamem.dataset_builder.families.personabench.audit.findings import (
    judge_communities,
    judge_figures,
    summarise_checks,
)
from personamem.dataset_builder.families.personabench.config import PersonaBenchConfig, configure
from personamem.dataset_builder.families.personabench.files import (
    COMMUNITIES,
    TABLES,
    list_files,
    summarise_communities,
)
from personamem.dataset_builder.families.personabench.rows import OpenTables, Row
from personamem.dataset_builder.families.subject import CheckedContext, OwnSubject
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.manifest import MANIFEST, Manifest, read_manifest
from personamem.loaders.formats.parquet import translate_faults
from personamem.loaders.formats.records import read_record
from personamem.loaders.formats.sources import Source, find_files, parse_source
from personamem.loaders.personabench.ours import OurDataset
from personamem.loaders.personabench.schema import (
    FAMILY,
    NOISE_SPLITS,
    DocumentRow,
    OpenQuestionRow,
)

PART = "communities"
"""The part of an audit that is about the open questions, at all noise levels."""

READABLE = Check(Section.STRUCTURE, "readable rows", "Rows and files that a loader refuses.")
COLUMNS = Check(Section.STRUCTURE, "columns", "Columns that are missing or of another type.")


@dataclass(frozen=True)
class CommunitiesSubject(OwnSubject):
    """The open questions of a dataset; ``config`` is None where the manifest has no usable one.

    ``usable`` tells whether the columns of all tables are there, and all rows hold a record.
    """

    tables: OpenTables
    config: PersonaBenchConfig | None
    manifest: Manifest
    usable: bool
    violations: Violations

    @property
    def part(self) -> str:
        """One part for all noise levels."""
        return PART

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

    def judge(self, contexts: Sequence[CheckedContext], parts: int) -> list[Finding]:
        """Return all findings on the open questions; rows that hold no record are not judged."""
        violations = Violations()
        violations.merge(self.violations)
        judged: list[Finding] = []
        if self.usable:
            judged = (
                judge_communities(self.config, self.tables, parts)
                if self.config
                else judge_figures(len(self.tables.communities), self.tables, parts)
            )
            record = self.manifest.families[FAMILY].model_dump()
            found = summarise_communities(self.tables) | {
                "checks": summarise_checks(judged, self.tables)
            }
            check_facts(record, found, f"families.{FAMILY}", violations)
        return [*violations.as_findings((FILES, FACTS, READABLE, COLUMNS)), *judged]


class _CheckedDataset(OurDataset):
    """The loader, on files that have been held against the manifest once."""

    def __init__(self, source: Source, folder: Path) -> None:
        super().__init__(source, folder)
        self._folder = folder

    def find_file(self, name: str) -> Path:
        return self._folder / name


def read_communities(source: str | Path) -> CommunitiesSubject:
    """Read the open questions of ``source``.

    Raises:
        DatasetError: the source has none, or a table cannot be read at all.
    """
    parsed = parse_source(source)
    folder = find_files(parsed, [MANIFEST, *list_files()])
    manifest = read_manifest(folder / MANIFEST)
    violations = Violations()
    check_files(manifest, folder, list_files(), True, violations)
    tables = _read_tables(folder, violations)
    usable = not violations.count(COLUMNS) and _are_records(tables, violations)
    if not violations.count(COLUMNS):
        _load(parsed, folder, violations)
    config = _read_config(manifest, violations)
    return CommunitiesSubject(tables, config, manifest, usable, violations)


def _are_records(tables: OpenTables, violations: Violations) -> bool:
    """Return whether every row holds a record, and every gold value a session."""
    usable = True
    for kind, record, by_split in (
        ("documents", DocumentRow, tables.documents),
        ("open_questions", OpenQuestionRow, tables.questions),
    ):
        for split, rows in by_split.items():
            for number, row in enumerate(rows, start=1):
                where = f"{kind}/{split}.parquet, row {number}"
                try:
                    found = read_record(record, row, where)
                except DatasetError as error:
                    violations.add(READABLE, str(error))
                    usable = False
                    continue
                gold = getattr(found, "gold", None)
                if gold is not None and not (gold and all(value.session_ids for value in gold)):
                    violations.add(READABLE, f"{where}: gold holds no value or no session")
                    usable = False
    return usable


def _load(source: Source, folder: Path, violations: Violations) -> None:
    """Read everything as a user of the package does."""
    try:
        dataset = _CheckedDataset(source, folder)
        communities = dataset.read_communities()
        for noise in dataset.noises:
            dataset.read_archives(noise, communities)
    except DatasetError as error:
        violations.add(READABLE, str(error))


def _read_tables(folder: Path, violations: Violations) -> OpenTables:
    rows: dict[str, dict[str, list[Row]]] = {kind: {} for kind in TABLES}
    for kind, table_schema in TABLES.items():
        for split in NOISE_SPLITS:
            path = folder / kind / f"{split}.parquet"
            with translate_faults(path):
                table = pq.read_table(path, partitioning=None)
            try:
                # Parquet has no seconds: times come back in milliseconds.
                table = table.cast(table_schema)
            except (ValueError, pa.ArrowException) as error:
                violations.add(COLUMNS, f"{kind}/{path.name}: {error}")
            with translate_faults(path):
                rows[kind][split] = table.to_pylist()
    communities = read_json_file(folder / COMMUNITIES)
    return OpenTables(_as_rows(communities), rows["documents"], rows["open_questions"])


def _as_rows(value: Any) -> list[Row]:
    """Return a list of objects; the loader says what is wrong with anything else."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def _read_config(manifest: Manifest, violations: Violations) -> PersonaBenchConfig | None:
    try:
        return configure(make_config(**manifest.config))
    except (InvalidInputError, TypeError) as error:
        violations.add(FACTS, f"{MANIFEST}: config cannot be used: {error}")
        return None
