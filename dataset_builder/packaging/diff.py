"""What changed between two versions of a dataset: their manifests, their files, their rows.

A table whose hash is the same in both manifests is not read at all. The rows of other tables are
compared by their id, each cell by a digest. The id of a context is a hash of its messages, but a
file may have been altered without its ids; so messages are read, one context at a time, where two
tables of contexts differ and an id is in both. Memory is about a kilobyte per row, whatever the
length of the contexts, and files at the Hub are read by ranges and not downloaded.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from huggingface_hub import HfFileSystem

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import MANIFEST, FileRecord, Manifest, read_manifest
from personamem.loaders.formats.sources import (
    find_files,
    parse_source,
    refuse_half_written,
)

SETTINGS = ("name", "version", "seed", "writer", "tokenizer", "made_with")
TABLE_KEYS = {
    "benchmark": "question_id",
    "annotations": "question_id",
    "contexts": "shared_context_id",
}
HEAVY = "messages"
"""The column that is read one row at a time, and only of rows that are in both tables."""

_ROWS = 256
_Rows = dict[str, tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a table that are not the same, by id: only in B, only in A, or with other cells.

    ``changed`` names the columns that differ; one that only A or B has differs in every row.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: Mapping[str, tuple[str, ...]]

    def count_columns(self) -> dict[str, int]:
        """Return how many rows differ in each column."""
        return dict(Counter(column for columns in self.changed.values() for column in columns))


@dataclass(frozen=True, slots=True)
class SplitDifference:
    """One split: row counts and tokens as (A, B), and the tables that are not the same."""

    split: str
    questions: tuple[int | None, int | None]
    contexts: tuple[int | None, int | None]
    tokens: tuple[int | None, int | None]
    tables: Mapping[str, Rows]


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that differs between A and B; ``settings`` and ``config`` as (A, B) by key.

    ``files`` maps each file that is not the same to "added", "removed" or "changed".
    """

    source_a: str
    source_b: str
    settings: Mapping[str, tuple[Any, Any]]
    config: Mapping[str, tuple[Any, Any]]
    files: Mapping[str, str]
    splits: tuple[SplitDifference, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the two are the same, byte for byte."""
        return not (self.settings or self.config or self.files)


@dataclass(frozen=True, slots=True)
class _Version:
    """A dataset to compare; ``root`` is its folder, or its place in the Hub's file system."""

    source: str
    manifest: Manifest
    root: str
    remote: bool

    @contextmanager
    def open(self, name: str) -> Iterator[pq.ParquetFile]:
        """Open a table. Raises DatasetError when it cannot be read."""
        place = f"{self.root}/{name}"
        try:
            with (
                HfFileSystem().open(place) if self.remote else open(place, "rb") as file,
                pq.ParquetFile(file) as table,
            ):
                yield table
        except (OSError, pa.ArrowInvalid, KeyError) as error:
            raise DatasetError(f"{self.source}: {name} cannot be read: {error}") from error


def compare_datasets(a: str, b: str) -> Difference:
    """Compare two datasets of ours: folders, or Hub ids, optionally with @revision.

    Raises:
        DatasetNotFoundError: a folder, repository or revision that does not exist.
        DatasetError: no dataset of ours, or a table that cannot be read.
        InvalidInputError: a revision that cannot apply.
    """
    one, other = _open_version(a), _open_version(b)
    pairs = {key: (_read(one, key), _read(other, key)) for key in SETTINGS}
    files = _compare_files(one.manifest.files, other.manifest.files)
    splits = list(dict.fromkeys([*_list_splits(one), *_list_splits(other)]))
    return Difference(
        source_a=one.source,
        source_b=other.source,
        settings={key: pair for key, pair in pairs.items() if pair[0] != pair[1]},
        config=_compare_keys(one.manifest.config, other.manifest.config),
        files=files,
        splits=tuple(_compare_split(one, other, split, files) for split in splits),
    )


def _open_version(source: str) -> _Version:
    parsed = parse_source(source)
    folder = find_files(parsed, [MANIFEST])
    path = folder / MANIFEST
    if not path.is_file():
        refuse_half_written(folder)
        raise DatasetError(f"{source} has no {MANIFEST}: it is not a dataset of ours.")
    manifest = read_manifest(path)
    if parsed.folder is not None:
        return _Version(source, manifest, str(parsed.folder), remote=False)
    # The folder of a cached snapshot is named by its commit: what is read belongs together.
    return _Version(source, manifest, f"datasets/{parsed.hub_id}@{path.parent.name}", remote=True)


def _read(version: _Version, key: str) -> Any:
    return version.manifest.model_dump(mode="json")[key]


def _list_splits(version: _Version) -> list[str]:
    return [split for family in version.manifest.families.values() for split in family.splits]


def _find_counts(version: _Version, split: str) -> Mapping[str, Any]:
    families = version.manifest.families.values()
    return next((family.splits[split] for family in families if split in family.splits), {})


def _read_count(counts: Mapping[str, Any], key: str) -> int | None:
    value = counts.get(key)
    return value if isinstance(value, int) else None


def _compare_files(a: Mapping[str, FileRecord], b: Mapping[str, FileRecord]) -> dict[str, str]:
    changes = {}
    for name in sorted({*a, *b}):
        if name not in a:
            changes[name] = "added"
        elif name not in b:
            changes[name] = "removed"
        elif a[name].sha256 != b[name].sha256:
            changes[name] = "changed"
    return changes


def _compare_keys(a: Mapping[str, Any], b: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    keys = dict.fromkeys([*a, *b])
    return {key: (a.get(key), b.get(key)) for key in keys if a.get(key) != b.get(key)}


def _compare_split(
    a: _Version, b: _Version, split: str, files: Mapping[str, str]
) -> SplitDifference:
    tables = {}
    for kind, key in TABLE_KEYS.items():
        name = f"{kind}/{split}.parquet"
        change = files.get(name)
        if change:
            columns_a, rows_a = _read_rows(a, name, key) if change != "added" else ((), {})
            columns_b, rows_b = _read_rows(b, name, key) if change != "removed" else ((), {})
            shared = rows_a.keys() & rows_b.keys()
            heavy = HEAVY in columns_a and HEAVY in columns_b
            altered = _find_altered(a, b, name, key, shared) if heavy else set()
            tables[kind] = _compare_rows(columns_a, rows_a, columns_b, rows_b, altered)
    counts_a, counts_b = _find_counts(a, split), _find_counts(b, split)

    def pair(key: str) -> tuple[int | None, int | None]:
        return _read_count(counts_a, key), _read_count(counts_b, key)

    return SplitDifference(split, pair("questions"), pair("contexts"), pair("tokens"), tables)


def _read_rows(version: _Version, name: str, key: str) -> tuple[tuple[str, ...], _Rows]:
    """Return the columns of a table, and the digests of each row's cells by its id.

    The heavy column comes last and has no digests.
    """
    rows: _Rows = {}
    with version.open(name) as table:
        names = table.schema_arrow.names
        light = [column for column in names if column not in (key, HEAVY)]
        for batch in table.iter_batches(batch_size=_ROWS, columns=[key, *light]):
            for row in batch.to_pylist():
                rows[str(row[key])] = tuple(_digest(row[column]) for column in light)
    return (*light, *([HEAVY] if HEAVY in names else [])), rows


def _find_altered(a: _Version, b: _Version, name: str, key: str, shared: Set[str]) -> set[str]:
    """Return those of the ids in both tables whose heavy cells are not the same."""
    digests = dict(_digest_heavy(a, name, key, shared))
    return {
        identifier
        for identifier, digest in _digest_heavy(b, name, key, shared)
        if digests.get(identifier) != digest
    }


def _digest_heavy(
    version: _Version, name: str, key: str, wanted: Set[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the id and the digest of the heavy cell of each wanted row, one row in memory."""
    with version.open(name) as table:
        for group in range(table.num_row_groups):
            ids = table.read_row_group(group, columns=[key]).column(key).to_pylist()
            if wanted.isdisjoint(map(str, ids)):
                continue
            for batch in table.iter_batches(batch_size=1, row_groups=[group], columns=[key, HEAVY]):
                (row,) = batch.to_pylist()
                yield str(row[key]), _digest(row[HEAVY])


def _compare_rows(
    columns_a: Sequence[str],
    rows_a: _Rows,
    columns_b: Sequence[str],
    rows_b: _Rows,
    altered: Set[str],
) -> Rows:
    places = [
        (column, columns_a.index(column), columns_b.index(column))
        for column in columns_a
        if column in columns_b and column != HEAVY
    ]
    one_sided = sorted(set(columns_a) ^ set(columns_b))
    changed = {}
    for identifier in rows_a.keys() & rows_b.keys():
        a, b = rows_a[identifier], rows_b[identifier]
        heavy = [HEAVY] if identifier in altered and HEAVY not in one_sided else []
        others = (*(column for column, i, j in places if a[i] != b[j]), *heavy, *one_sided)
        if others:
            changed[identifier] = others
    return Rows(
        added=tuple(identifier for identifier in rows_b if identifier not in rows_a),
        removed=tuple(identifier for identifier in rows_a if identifier not in rows_b),
        changed=dict(sorted(changed.items())),
    )


def _digest(value: object) -> bytes:
    return hashlib.blake2b(repr(value).encode(), digest_size=8).digest()
