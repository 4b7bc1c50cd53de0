"""Where a dataset is: a local folder or a Hub repository, and its manifest if it is one of ours.

A source is resolved to a folder first: a local path as it is, or the snapshot of a Hub repository
into which only the requested files are fetched.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from personamem.loaders.formats.errors import (
    DatasetError,
    DatasetNotFoundError,
    InvalidInputError,
)
from personamem.loaders.formats.files import has_file
from personamem.loaders.formats.hub import fetch_snapshot
from personamem.loaders.formats.manifest import MANIFEST, Manifest, read_manifest
from personamem.loaders.formats.siblings import PARTIAL, name_partial, name_replaced

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed source: exactly one of ``folder`` and ``hub_id`` is set."""

    folder: Path | None
    hub_id: str | None
    revision: str | None

    def __str__(self) -> str:
        if self.folder is not None:
            return str(self.folder)
        return f"{self.hub_id}@{self.revision}" if self.revision else f"{self.hub_id}"


def parse_source(source: str | Path, revision: str | None = None) -> Source:
    """Tell a local folder from a Hub id, and split off a revision written as ``id@revision``.

    Raises:
        InvalidInputError: a revision for a local folder, two different revisions.
        DatasetNotFoundError: neither an existing folder nor a name that could be a Hub id.
    """
    if isinstance(source, Path) or _exists(source):
        if revision is not None:
            raise InvalidInputError(
                f"revision={revision!r} was given for the local folder {str(source)!r}; "
                "revisions exist only for Hub ids."
            )
        return Source(_existing_folder(Path(source)), None, None)
    if not source.strip():
        raise InvalidInputError(
            "The dataset source is empty. Accepted: an existing folder, or a Hub id 'owner/name'."
        )
    name, _, written = source.partition("@")
    # A folder that a killed build has left aside is meant, not a repository of the same name.
    if not _HUB_ID.fullmatch(name) or _find_remains(Path(source)):
        _existing_folder(Path(source))
    if written and revision is not None and written != revision:
        raise InvalidInputError(
            f"Two revisions for {name!r}: {written!r} in the name and revision={revision!r}."
        )
    return Source(None, name, revision or written or None)


def find_files(source: Source, patterns: list[str]) -> Path:
    """Return a source's folder, with the files that match fetched where it is on the Hub.

    Raises:
        DatasetNotFoundError: the repository or revision does not exist or is not cached.
    """
    return source.folder or fetch_files(source, patterns, None)


def find_manifest(source: str | Path, revision: str | None = None) -> Manifest | None:
    """Return the manifest of a dataset of ours, None for an official release.

    Raises:
        DatasetNotFoundError: the repository, revision or folder does not exist or is not cached.
        DatasetError: the manifest cannot be read.
        InvalidInputError: a revision that cannot apply.
    """
    folder = find_files(parse_source(source, revision), [MANIFEST])
    return read_manifest(folder / MANIFEST) if has_file(folder, MANIFEST) else None


def refuse_half_written(folder: Path) -> None:
    """Raise a DatasetError for a folder that looks like one of ours, but without a manifest."""
    partial = folder.name.endswith(PARTIAL)
    if partial or next(folder.glob("*/*.parquet"), None) is not None:
        raise DatasetError(
            f"{folder} is half-written: it has no {MANIFEST}, which is written last. "
            "Run the build again, or fetch the folder again."
        )


def fetch_files(source: Source, patterns: list[str], commit: str | None) -> Path:
    """Return the snapshot folder of a source on the Hub, with the files that match fetched."""
    assert source.hub_id is not None
    return fetch_snapshot(source.hub_id, source.revision, patterns, commit)


def _exists(source: str) -> bool:
    return bool(source) and os.path.exists(_expand(Path(source)))


def _existing_folder(path: Path) -> Path:
    path = _expand(path)
    # Of the functions for paths only those of os.path accept any text, however long.
    if os.path.isdir(path):
        return path
    if os.path.exists(path):
        raise DatasetError(f"{path} is a file; a dataset source is a folder or a Hub id.")
    raise DatasetNotFoundError(
        f"No dataset folder {str(path)!r}.{_find_remains(path)} Accepted: an existing folder, or a "
        "Hub id 'owner/name' or 'owner/name@revision'."
    )


def _expand(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # "~nobody": such a folder may exist in the current one.
        return path


def _find_remains(path: Path) -> str:
    """Return a sentence about what a killed build has left of a folder that is not there."""
    try:
        replaced, partial = name_replaced(path), name_partial(path)
    except (OSError, ValueError):  # No name of a folder.
        return ""
    if os.path.isdir(replaced):
        return (
            f" A build that was to replace it was killed; the earlier version is in {replaced}: "
            "rename that folder, or run the build again, which restores it first."
        )
    return f" There is an unfinished build at {partial}." if os.path.isdir(partial) else ""
