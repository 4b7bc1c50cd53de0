"""The dataset on disk: exactly the files that a release consists of, checked against the manifest.

What is neither in the manifest nor made for the release stays where it is and is never uploaded:
hidden files, caches, partial files, notes.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from personamem.cards import PICTURES
from personamem.dataset_builder.publish.pictures import CONTROLS, MODELS
from personamem.loaders.formats.audit_record import AUDIT
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import (
    MANIFEST,
    Manifest,
    check_file,
    hash_file,
    read_manifest,
)
from personamem.loaders.formats.sources import parse_source

CARD = "README.md"
MADE_FOR_RELEASE = (MANIFEST, CARD, AUDIT)
"""Files of a release that the manifest does not list: itself, and what is made from it."""

MEASURED = tuple(f"{PICTURES}/{name}.svg" for name in (CONTROLS, MODELS))
"""Pictures that are made for a release too, where there is something to show."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file to publish: its size in bytes and its sha256 in hex."""

    path: Path
    size: int
    sha256: str

    def git_oid(self) -> str:
        """Return the name that git gives the content, as the Hub reports it of small files."""
        body = self.path.read_bytes()
        return hashlib.sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class LocalDataset:
    """A checked dataset. ``manifest_sha256`` pins all of ``data``, the files of the manifest."""

    folder: Path
    manifest: Manifest
    manifest_sha256: str
    data: Mapping[str, LocalFile]

    @property
    def name(self) -> str:
        """The dataset's name and version."""
        return f"{self.manifest.name} {self.manifest.version}"

    def list_release(self) -> dict[str, LocalFile]:
        """Return every file of the release by its path in the repository, in order of path.

        Those made for the release are read anew; the card and the audit must be there.
        """
        drawn = [name for name in MEASURED if (self.folder / name).is_file()]
        made = {name: describe_file(self.folder / name) for name in (*MADE_FOR_RELEASE, *drawn)}
        return dict(sorted({**self.data, **made}.items()))

    def list_left_out(self) -> list[str]:
        """Return the files in the folder that are not published."""
        known = {*self.data, *MADE_FOR_RELEASE, *MEASURED}
        found = (path for path in self.folder.rglob("*") if path.is_file())
        names = (path.relative_to(self.folder).as_posix() for path in found)
        return sorted(name for name in names if name not in known)


def read_local(source: str | Path) -> LocalDataset:
    """Read the dataset in a folder and check every file: size, sha256, rows.

    Raises:
        DatasetNotFoundError: no such folder.
        DatasetError: no complete dataset of ours; the file and the value at fault are named.
    """
    folder = parse_source(Path(source)).folder
    assert folder is not None
    path = folder / MANIFEST
    if not path.is_file():
        raise DatasetError(
            f"{folder} has no {MANIFEST}: it is no dataset of `personamem build`, or half-written."
        )
    manifest = read_manifest(path)
    data = {}
    for name, record in manifest.files.items():
        if name in (*MADE_FOR_RELEASE, *MEASURED):
            raise DatasetError(f"{path} lists {name}, which is made for each release.")
        check_file(manifest, name, folder / name)
        data[name] = LocalFile(folder / name, record.bytes, record.sha256)
    return LocalDataset(folder, manifest, hash_file(path), data)


def describe_file(path: Path) -> LocalFile:
    """Return a file's size and sha256."""
    return LocalFile(path, path.stat().st_size, hash_file(path))
