"""``manifest.json``: what a dataset is, from what it was made, and the hash of every file.

One model for all who read or write it. A manifest is written last, so a folder with one is whole.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import open_file, refuse_outside
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.parquet import count_rows
from personamem.loaders.formats.records import show_value

MANIFEST = "manifest.json"
_SHA256 = r"^[0-9a-f]{64}$"
_LONGEST_PART = 255
"""Bytes of a file's name, as most file systems have it."""


def _check_relative(name: str) -> str:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") for part in path.parts)
    too_long = any(len(part.encode()) > _LONGEST_PART for part in path.parts)
    printable = name.isprintable() and "\\" not in name
    if (
        not path.parts
        or path.as_posix() != name
        or path.is_absolute()
        or hidden
        or too_long
        or not printable
    ):
        raise ValueError(
            f"{name!r} is no file of a dataset. Accepted: relative paths of printable characters, "
            "without hidden parts or '..'"
        )
    return name


def _check_name(name: str) -> str:
    if "/" in name or _check_relative(name) != name:
        raise ValueError(f"{name!r} is no name of a split")
    return name


FileName = Annotated[str, AfterValidator(_check_relative)]
SplitName = Annotated[str, AfterValidator(_check_name)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FileRecord(_Strict):
    """One file as it was written: digest in hex, size in bytes, rows of its table."""

    sha256: str = Field(pattern=_SHA256)
    bytes: int = Field(ge=0, strict=True)
    rows: int | None = Field(default=None, ge=0, strict=True)


class ItemCounts(_Strict):
    """How the items of one kind fared that a model was to write.

    Refusals are counted by attempt, fallbacks by the last attempt.
    """

    total: int = Field(ge=0)
    written: int = Field(ge=0)
    rewritten: int = Field(ge=0)
    fallbacks: int = Field(ge=0)
    fallbacks_by_reason: Mapping[str, int] = {}
    refusals_by_reason: Mapping[str, int] = {}


class WriterRecord(_Strict):
    """Who wrote the text: the embedded templates, or a model with the counts of its items."""

    name: str
    model: str | None = None
    prompts_sha256: Mapping[str, str] = {}
    items: Mapping[str, ItemCounts] = {}


class FamilyRecord(BaseModel):
    """What one family built: counts of its splits, the checks of the build, other counts."""

    model_config = ConfigDict(extra="allow", frozen=True)

    splits: Mapping[SplitName, Mapping[str, Any]]
    checks: Mapping[str, Any] = {}


class Manifest(_Strict):
    """The whole ``manifest.json``; ``config`` is the build configuration as plain values."""

    name: str
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    config: Mapping[str, Any]
    config_sha256: str = Field(pattern=_SHA256)
    seed: int = Field(ge=0, strict=True)
    writer: WriterRecord
    tokenizer: str
    made_with: Mapping[str, str]
    families: Mapping[str, FamilyRecord]
    files: Mapping[FileName, FileRecord]

    def lists(self, name: str) -> bool:
        """Return whether the manifest records a file of this name, relative to the folder."""
        return name in self.files

    def splits_of(self, family: str) -> tuple[str, ...]:
        """Return the names of the splits of a family; none if the dataset has none of it."""
        return tuple(self.families[family].splits) if family in self.families else ()


def read_manifest(path: Path) -> Manifest:
    """Read a manifest.

    Raises:
        DatasetError: the file is no regular file of its folder, or not UTF-8 JSON of the expected
            form; the key at fault is named.
    """
    refuse_outside(path.parent, path)
    raw = read_json_file(path)
    try:
        return Manifest.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the manifest"
        message = first["msg"].removeprefix("Value error, ")
        raise DatasetError(
            f"{path}: {where}: {message} (found {show_value(first['input'])})."
        ) from error


def check_file(manifest: Manifest, name: str, path: Path) -> None:
    """Check a file's size, its digest (one streaming pass) and, of Parquet, its number of rows.

    ``path`` is that of ``name`` below the folder of the dataset.

    Raises:
        DatasetError: the manifest has no such file, it lies outside of the folder, or a value
            differs; both are named.
    """
    record = manifest.files.get(name)
    if record is None:
        raise DatasetError(f"{MANIFEST} has no entry for {name!r}: {path} cannot be trusted.")
    refuse_outside(path.parents[len(PurePosixPath(name).parts) - 1], path)
    if not path.is_file():
        raise DatasetError(f"{path} is missing although {MANIFEST} lists it.")
    size = path.stat().st_size
    if size != record.bytes:
        raise _mismatch(path, "bytes", size, record.bytes)
    digest = hash_file(path)
    if digest != record.sha256:
        raise _mismatch(path, "sha256", digest, record.sha256)
    if record.rows is not None and path.suffix == ".parquet":
        rows = count_rows(path)
        if rows != record.rows:
            raise _mismatch(path, "rows", rows, record.rows)


def hash_file(path: Path) -> str:
    """Return the sha256 of a file in hex, read in one streaming pass. Raises DatasetError."""
    with open_file(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _mismatch(path: Path, what: str, found: object, expected: object) -> DatasetError:
    return DatasetError(
        f"{path} was changed or cut off: {what} is {found}, {MANIFEST} says {expected}. "
        "Fetch or build the dataset again."
    )
