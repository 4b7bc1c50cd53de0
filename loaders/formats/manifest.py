"""What ``manifest.json`` says about a dataset's files, and whether the files agree.

Only the parts that reading needs are looked at, with plain checks, so that a newer builder may add
keys freely: ``files`` (path -> sha256, bytes, rows) and ``splits`` (keyed by split name).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from personamem.loaders.formats.errors import DatasetError


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file as it was written: digest in hex, size in bytes, rows of its table."""

    sha256: str
    bytes: int
    rows: int | None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The checked part of a ``manifest.json``; ``config`` is as it stands there, unchecked.

    ``communities`` are the counts of the open questions, None in a dataset without them.
    """

    path: Path
    files: Mapping[str, FileRecord]
    splits: tuple[str, ...]
    config: Any
    communities: Mapping[str, Any] | None = None

    def lists(self, name: str) -> bool:
        """Say whether the manifest records a file of this name, relative to the folder."""
        return name in self.files


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        DatasetError: the file is not UTF-8 JSON of the expected form.
    """
    try:
        raw = json.loads(path.read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise DatasetError(f"{path} is not valid UTF-8 JSON: {error}.") from error
    files = raw.get("files") if isinstance(raw, dict) else None
    splits = raw.get("splits") if isinstance(raw, dict) else None
    if not isinstance(files, dict) or not isinstance(splits, dict):
        raise DatasetError(f"{path} lacks the objects 'files' and 'splits'.")
    records = {str(name): _read_record(path, str(name), entry) for name, entry in files.items()}
    communities = raw.get("communities")
    return Manifest(
        path=path,
        files=records,
        splits=tuple(str(split) for split in splits),
        config=raw.get("config"),
        communities=communities if isinstance(communities, dict) else None,
    )


def check_file(manifest: Manifest, name: str, path: Path) -> None:
    """Check a file's size, its digest (one streaming pass) and, of Parquet, its number of rows.

    Raises:
        DatasetError: the manifest has no such file, or a value differs; both are named.
    """
    record = manifest.files.get(name)
    if record is None:
        raise DatasetError(
            f"{manifest.path} has no entry for {name!r}; the file cannot be trusted."
        )
    if not path.exists():
        raise DatasetError(f"{path} is missing although {manifest.path.name} lists it.")
    size = path.stat().st_size
    if size != record.bytes:
        raise _mismatch(manifest, path, "bytes", size, record.bytes)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != record.sha256:
        raise _mismatch(manifest, path, "sha256", digest, record.sha256)
    if record.rows is not None and path.suffix == ".parquet":
        rows = pq.read_metadata(path).num_rows
        if rows != record.rows:
            raise _mismatch(manifest, path, "rows", rows, record.rows)


def _mismatch(
    manifest: Manifest, path: Path, what: str, found: object, expected: object
) -> DatasetError:
    return DatasetError(
        f"{path} was changed or cut off: {what} is {found}, {manifest.path.name} says {expected}. "
        "Fetch or build the dataset again."
    )


def _read_record(path: Path, name: str, entry: object) -> FileRecord:
    if isinstance(entry, dict):
        sha256, size, rows = entry.get("sha256"), entry.get("bytes"), entry.get("rows")
        if isinstance(sha256, str) and isinstance(size, int) and isinstance(rows, int | None):
            return FileRecord(sha256.lower(), size, rows)
    raise DatasetError(
        f"{path}: the entry for {name!r} lacks 'sha256' (text) or 'bytes' (integer)."
    )
