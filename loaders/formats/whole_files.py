"""Text files that are written whole or not at all, and errors of a full disk that name the place.

The text goes into a hidden file beside the target, is forced to the disk and then renamed. A run
that is killed, or a disk that is full, leaves the target as it was.
"""

import errno
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A full file system, a spent quota, a limit on the size of files."""


class NoRoomError(PersonamemError):
    """A file that does not fit on its disk."""


def prepare_file(path: Path | None) -> None:
    """Make the parent folders of ``path``, before long work whose result goes there.

    None is accepted and does nothing, for optional outputs. Raises InvalidInputError for a folder,
    or for a place where no file can be made.
    """
    if path is None:
        return
    if path.is_dir():
        raise InvalidInputError(f"{path} is a folder. Accepted: the name of a file to write.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"{path} cannot be written: {error}.") from error
    if not os.access(path if _is_special(path) else path.parent, os.W_OK):
        raise InvalidInputError(f"{path} cannot be written: no permission to write there.")


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8 into ``path``, whole or not at all; parent folders are made.

    A link is followed. What is no regular file, such as /dev/stdout, is written directly.

    Raises:
        InvalidInputError: ``path`` is a folder, or in a place where no file can be made.
        NoRoomError: the disk is full.
        OSError: any other failure of the disk.
    """
    prepare_file(path)
    if _is_special(path):
        path.write_text(text, encoding="utf-8")
        return
    target = path.resolve()
    # The number of the process keeps two that write the same file apart.
    aside = target.with_name(f".{target.name}.{os.getpid()}.partial")
    with name_full_disk(path):
        try:
            with aside.open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(aside, target)
        finally:
            aside.unlink(missing_ok=True)
        sync_folder(target.parent)


def write_json(path: Path, data: Any) -> None:
    """Write plain values as indented JSON, as ``write_whole`` does; raises the same."""
    write_whole(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def name_full_disk(path: Path) -> Iterator[None]:
    """Turn the error of a full disk into a NoRoomError that names ``path`` and what to free."""
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise NoRoomError(
            f"{path} cannot be written: {os.strerror(error.errno)}. {_describe_room(path)} Nothing "
            "was changed; run the same command again when there is room."
        ) from error


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, so that a rename survives a loss of power."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_special(path: Path) -> bool:
    return path.exists() and not path.is_file()


def _describe_room(path: Path) -> str:
    folder = next(parent for parent in path.absolute().parents if parent.is_dir())
    free = shutil.disk_usage(folder).free
    return f"The disk of {folder} has {free / 2**20:,.1f} MiB left: free some of it."
