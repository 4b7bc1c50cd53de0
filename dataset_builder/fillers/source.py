"""Real chats as filler: a folder or a Hub dataset of conversations, read once a process."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from personamem.dataset_builder.fillers.cleaning import (
    LIST_COLUMNS,
    PAIR_COLUMNS,
    REASONS,
    Cleaner,
)
from personamem.dataset_builder.fillers.everyday import Chat
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.sources import fetch_files, parse_source

SUFFIXES = (".parquet", ".jsonl", ".json")
MOST_CHATS = 5_000
"""Read up to so many: ten times what the largest context holds."""


@dataclass(frozen=True, slots=True)
class FillerSource:
    """The chats of a source, and what a dataset built with them says of it.

    ``revision`` is the commit on the Hub, ``license`` what the source's card states; both may be
    empty. ``left_out`` counts rows by the reason. ``sha256`` is that of the chats.
    """

    chats: tuple[Chat, ...]
    source: str
    revision: str
    license: str
    left_out: Mapping[str, int]
    sha256: str

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records."""
        return {
            "source": self.source,
            "revision": self.revision,
            "license": self.license,
            "chats": len(self.chats),
            "left_out": dict(self.left_out),
            "sha256": self.sha256,
        }


@lru_cache(maxsize=2)
def read_filler(source: str, column: str = "") -> FillerSource:
    """Return the chats of a folder or of a Hub dataset ``owner/name[@revision]``.

    ``column`` names the list of messages where it has none of the usual names.

    Raises:
        DatasetNotFoundError: no such folder or repository.
        DatasetError: a file that is damaged.
        InvalidInputError: no file of a known kind, or no chat in them.
    """
    parsed = parse_source(source)
    patterns = ["README.md", *(f"**/*{suffix}" for suffix in SUFFIXES)]
    folder = parsed.folder or fetch_files(parsed, patterns, None)
    files = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    if not files:
        raise InvalidInputError(
            f"filler {source}: no file of chats. Accepted: {', '.join(SUFFIXES)}."
        )
    cleaner, chats = Cleaner(column), []
    left_out: Counter[str] = Counter()
    columns: dict[str, None] = {}
    for row in (row for path in files for row in _read_rows(path)):
        columns.update(dict.fromkeys(row))
        chat = cleaner.clean(row)
        if isinstance(chat, str):
            left_out[chat] += 1
            continue
        chats.append(chat)
        if len(chats) == MOST_CHATS:
            break
    if not chats:
        raise InvalidInputError(_explain(source, column, left_out, list(columns)))
    digest = hashlib.sha256(json.dumps([chat.messages for chat in chats]).encode())
    return FillerSource(
        chats=tuple(chats),
        source=source,
        revision="" if parsed.folder else folder.name,
        license=_read_license(folder),
        left_out={reason: left_out[reason] for reason in REASONS if left_out[reason]},
        sha256=digest.hexdigest(),
    )


def _explain(source: str, column: str, left_out: Mapping[str, int], columns: list[str]) -> str:
    counts = ", ".join(f"{number:,} {reason}" for reason, number in left_out.items())
    pairs = ", ".join(f"{ask} with {reply}" for ask, reply in PAIR_COLUMNS)
    wanted = f"the column {column!r}" if column else f"a column {', '.join(LIST_COLUMNS)}"
    return (
        f"filler {source}: no chat could be used ({counts or 'no rows'}). Its columns: "
        f"{', '.join(columns[:20]) or 'none'}. Accepted: {wanted} with a list of messages (role "
        f"and content, or from and value), or {pairs}; --filler-column names another list."
    )


def _read_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a file. Raises DatasetError naming the file and the place."""
    if path.suffix == ".parquet":
        yield from _read_parquet(path)
    elif path.suffix == ".jsonl":
        yield from _read_lines(path)
    else:
        rows = _parse(path.read_bytes(), str(path))
        for number, row in enumerate(rows if isinstance(rows, list) else [rows]):
            yield _check_row(row, f"{path}, entry {number}")


def _read_parquet(path: Path) -> Iterator[Mapping[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=256):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"filler {path} cannot be read as Parquet: {error}") from error


def _read_lines(path: Path) -> Iterator[Mapping[str, Any]]:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                where = f"{path}, line {number}"
                yield _check_row(_parse(line, where), where)


def _parse(data: bytes, where: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise DatasetError(f"filler {where} is not JSON: {error}") from error


def _check_row(row: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(row, dict):
        raise DatasetError(f"filler {where}: {type(row).__name__}, not an object with columns")
    return row


def _read_license(folder: Path) -> str:
    """Return what the front matter of a card says of the license; empty if nothing."""
    card = folder / "README.md"
    parts = card.read_text("utf-8", "replace").split("---", 2) if card.is_file() else []
    if len(parts) < 3:
        return ""
    try:
        stated = yaml.safe_load(parts[1])
    except yaml.YAMLError:
        return ""
    found = stated.get("license") if isinstance(stated, dict) else None
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found or "")
