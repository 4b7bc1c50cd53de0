"""A dataset folder appears whole or not at all.

Files are written into a hidden sibling (``loaders.formats.siblings``), and the folder is renamed
when the last one is on disk. A build that dies leaves that sibling, which no loader reads and the
next build clears away. A version that is replaced is moved aside first; if the build dies before
the new one is in its place, the next build moves the old one back.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from personamem.dataset_builder.core.locks import hold_lock
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.siblings import name_lock, name_partial, name_replaced
from personamem.loaders.formats.whole_files import name_full_disk, sync_folder


@contextmanager
def stage_folder(out: Path, overwrite: bool) -> Iterator[Path]:
    """Yield an empty folder that becomes ``out`` on leaving without an error.

    Raises:
        InvalidInputError: ``out`` cannot be used (see ``check_folder``), or another process is
            building it.
        NoRoomError: the disk is full.
    """
    if out.exists() and not out.is_dir():
        raise _refuse_file(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInputError(f"Output folder {out} cannot be made: {error}.") from error
    stage = name_partial(out)
    with _hold_lock(out):
        _restore_replaced(out)
        _refuse_content(out, overwrite)
        shutil.rmtree(stage, ignore_errors=True)
        try:
            with name_full_disk(out):
                stage.mkdir()
                yield stage
                _sync_tree(stage)
        except BaseException:
            shutil.rmtree(stage, ignore_errors=True)
            raise
        _replace(out, stage)


def check_folder(out: Path, overwrite: bool) -> None:
    """Raise InvalidInputError for a file, or a folder that holds something, unless overwritten.

    What a killed build has left aside is restored first.
    """
    if out.exists() and not out.is_dir():
        raise _refuse_file(out)
    if name_replaced(out).is_dir():
        with _hold_lock(out):
            _restore_replaced(out)
    _refuse_content(out, overwrite)


def _replace(out: Path, stage: Path) -> None:
    # Of a link, the folder that it names is replaced.
    target, old = out.resolve(), name_replaced(out)
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        os.replace(target, old)
    os.replace(stage, target)
    # The new name is on disk before the old version goes.
    sync_folder(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _restore_replaced(out: Path) -> None:
    """Put the earlier version back that a killed build has moved aside, if its place is free."""
    target, old = out.resolve(), name_replaced(out)
    if old.is_dir() and not (target.exists() and any(target.iterdir())):
        os.replace(old, target)
        sync_folder(target.parent)


def _refuse_content(out: Path, overwrite: bool) -> None:
    if out.is_dir() and any(out.iterdir()) and not overwrite:
        raise InvalidInputError(f"Output folder {out} is not empty; use --overwrite to replace it.")


def _refuse_file(out: Path) -> InvalidInputError:
    return InvalidInputError(f"Output {out} is a file; accepted: a folder that can be made.")


@contextmanager
def _hold_lock(out: Path) -> Iterator[None]:
    with hold_lock(name_lock(out), f"Another process is building {out}."):
        yield


def _sync_tree(folder: Path) -> None:
    """Force all files below ``folder``, and the names in its folders, to the disk."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as handle:
                os.fsync(handle.fileno())
        else:
            sync_folder(path)
    sync_folder(folder)
