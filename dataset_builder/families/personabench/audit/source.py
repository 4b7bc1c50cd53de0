"""Auditing the open questions of a dataset: its files, read and held against their world."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.core.findings import Violations
from personamem.dataset_builder.core.config import BuildConfig, make_config
from personamem.dataset_builder.families.personabench.audit.findings import (
    judge_communities,
    judge_figures,
)
from personamem.dataset_builder.families.personabench.rows import OpenTables, Row
from personamem.dataset_builder.families.personamem.audit.run import Distributions, SplitAudit
from personamem.dataset_builder.families.personamem.audit.structure import COLUMNS, FILES, READABLE
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.manifest import Manifest, check_file, read_manifest
from personamem.loaders.formats.sources import (
    MANIFEST,
    Layout,
    find_files,
    find_manifest,
    parse_source,
)
from personamem.loaders.personabench.schema import (
    DOCUMENTS_SCHEMA,
    NOISE_SPLITS,
    OPEN_QUESTIONS_SCHEMA,
)

COMMUNITIES = "communities"
"""The name under which an audit has the open questions, beside the splits."""

_SCHEMAS: Mapping[str, Any] = {
    "documents": DOCUMENTS_SCHEMA,
    "open_questions": OPEN_QUESTIONS_SCHEMA,
}
_JSON = "communities.json"


def has_communities(source: str | Path) -> bool:
    """Return whether a source is a dataset of ours with open questions."""
    manifest = find_manifest(source)
    return manifest is not None and manifest.communities is not None


def audit_communities(source: str | Path) -> SplitAudit:
    """Audit the open questions of ``source``.

    Raises:
        DatasetError: the source has none, or a table cannot be read at all.
    """
    names = [f"{kind}/{split}.parquet" for kind in _SCHEMAS for split in NOISE_SPLITS]
    if not has_communities(source):
        raise DatasetError(f"{source} has no open questions: its manifest has no communities.")
    folder = find_files(parse_source(source), [MANIFEST, _JSON, *names])
    manifest = read_manifest(folder / MANIFEST)
    violations = Violations()
    _check_files(manifest, folder, (_JSON, *names), violations)
    tables = _read_tables(folder, violations)
    findings = violations.as_findings((FILES, READABLE, COLUMNS))
    config = _read_config(manifest)
    if not violations.count(COLUMNS):
        if config is None:
            findings += judge_figures(len(tables.communities), tables)
        else:
            findings += judge_communities(config, tables)
    lowest = min(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
    highest = max(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
    return SplitAudit(
        split=COMMUNITIES,
        layout=Layout.OURS,
        questions=len(tables.questions[lowest]),
        contexts=len(tables.documents[highest]),
        findings=tuple(findings),
        baselines={"blind": (), "metadata": (), "shallow": ()},
        distributions=Distributions((), (), ()),
    )


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
    try:
        communities = json.loads((folder / _JSON).read_bytes())
    except (OSError, ValueError) as error:
        raise DatasetError(f"{folder / _JSON} cannot be read: {error}") from error
    return OpenTables(communities, rows["documents"], rows["open_questions"])


def _read_config(manifest: Manifest) -> BuildConfig | None:
    if not isinstance(manifest.config, dict):
        return None
    try:
        return make_config(**manifest.config)
    except InvalidInputError:
        return None
