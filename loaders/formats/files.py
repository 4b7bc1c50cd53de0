"""Files of a dataset of unknown origin: regular, within their folder, or one clear error.

A link may lead to another file of the folder. One that leads out of it is refused: a dataset may
come from anybody, and its files end up in prompts. The snapshots of the Hub's cache hold links to
the ``blobs`` beside them, which are accepted.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path, PurePosixPath

from personamem.loaders.formats.errors import DatasetError


def has_file(folder: Path, name: str) -> bool:
    """Return whether ``folder`` holds something of that name; ``find_file`` says whether a file."""
    return os.path.lexists(folder / name)


def find_file(folder: Path, name: str) -> Path:
    """Return the path of a regular file of a dataset folder.

    Raises:
        DatasetError: it is missing, is no regular file, or lies outside of the folder.
    """
    path = folder / name
    if "\0" in name or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
        raise DatasetError(
            f"{folder}: {name!r} is no file of a dataset. Accepted: relative paths without '..'."
        )
    refuse_outside(folder, path)
    require_file(path)
    return path


def refuse_outside(folder: Path, path: Path) -> None:
    """Raise a DatasetError for a path below ``folder`` that links lead out of it."""
    root, target = Path(os.path.realpath(folder)), Path(os.path.realpath(path))
    if target.is_relative_to(root):
        return
    if root.parent.name == "snapshots" and target.is_relative_to(root.parent.parent / "blobs"):
        return
    raise DatasetError(
        f"{path} is a link to {target}, outside of the dataset. Accepted: regular files, and links "
        f"that stay within {folder}."
    )


def require_file(path: Path) -> None:
    """Raise a DatasetError unless ``path`` is a regular file, or a link to one."""
    if not os.path.isfile(path):
        reason = "is not a regular file" if os.path.lexists(path) else "is missing"
        raise DatasetError(f"{path} {reason}.")


@contextmanager
def open_file(path: Path) -> Iterator[BufferedReader]:
    """Open a regular file to read its bytes.

    Raises:
        DatasetError: no regular file, or it cannot be read, now or later in the block.
    """
    require_file(path)
    try:
        with path.open("rb") as stream:
            yield stream
    except OSError as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(f"{path} cannot be read: {error}.") from error


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """Return the content of a regular file. Raises DatasetError, also for one that is larger."""
    with open_file(path) as stream:
        content = stream.read(most_bytes + 1)
    if len(content) > most_bytes:
        size = path.stat().st_size
        raise DatasetError(f"{path} has {size:,} bytes. Accepted: at most {most_bytes:,}.")
    return content


def list_names(folder: Path) -> list[str]:
    """Return the names in a folder, sorted. Raises DatasetError where it cannot be read."""
    try:
        return sorted(os.listdir(folder))
    except OSError as error:
        raise DatasetError(f"{folder} cannot be read: {error}.") from error
