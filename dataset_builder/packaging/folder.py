"""A dataset folder appears whole or not at all.

Files are written into a hidden sibling ``.<name>.partial`` and the folder is renamed when the last
one is on disk. A build that dies leaves only that sibling, which no loader reads and the next build
clears away.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from personamem.loaders.formats.errors import InvalidInputError


@contextmanager
def stage_folder(out: Path, overwrite: bool) -> Iterator[Path]:
    """Yield an empty folder that becomes ``out`` on leaving without an error.

    Raises InvalidInputError as ``check_folder`` does, and when another process is building it.
    """
    check_folder(out, overwrite)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"Output folder {out} cannot be made: {error}") from error
    stage = out.parent / f".{out.name}.partial"
    with _hold_lock(out.parent / f".{out.name}.lock", out):
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir()
        try:
            yield stage
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            raise
        _sync_tree(stage)
        old = out.parent / f".{out.name}.replaced"
        shutil.rmtree(old, ignore_errors=True)
        if out.exists():
            os.replace(out, old)
        os.replace(stage, out)
        shutil.rmtree(old, ignore_errors=True)


def check_folder(out: Path, overwrite: bool) -> None:
    """Raise InvalidInputError for a file, or a folder that holds something, unless overwritten."""
    if out.exists() and not out.is_dir():
        raise InvalidInputError(f"Output {out} is a file; accepted: a folder that can be made.")
    if out.is_dir() and any(out.iterdir()) and not overwrite:
        raise InvalidInputError(f"Output folder {out} is not empty; use --overwrite to replace it.")


@contextmanager
def _hold_lock(path: Path, out: Path) -> Iterator[None]:
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInputError(f"Another process is building {out}.") from None
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _sync_tree(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as handle:
                os.fsync(handle.fileno())
