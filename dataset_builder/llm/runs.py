"""Which of the runs that share a store are alive.

A run holds a lock on a file of its own beside the store. The system drops the lock with the
process, however that ended, so no clock and no process number has to be believed. It works on one
machine, as SQLite's WAL does.
"""

import fcntl
import os
import secrets
from pathlib import Path


def runs_folder(store: Path) -> Path:
    """Return the folder of the lock files of a store."""
    return store.with_name(f"{store.name}-runs")


class RunLock:
    """The mark of a live run, from construction to ``end`` or the end of the process."""

    def __init__(self, store: Path) -> None:
        self.name = secrets.token_hex(8)
        self._path = runs_folder(store) / self.name
        self._file = _create(self._path)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def end(self) -> None:
        """Take the mark away."""
        _remove(self._path)
        os.close(self._file)


def list_runs(store: Path) -> list[str]:
    """Return the names of all runs that left a mark, dead or alive."""
    return sorted(path.name for path in runs_folder(store).glob("*"))


def is_alive(store: Path, name: str) -> bool:
    """Return whether a run that has claimed something lives; remove the mark of a dead one."""
    path = runs_folder(store) / name
    try:
        file = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    else:
        _remove(path)
        return False
    finally:
        os.close(file)


def _create(path: Path) -> int:
    while True:
        path.parent.mkdir(exist_ok=True)
        try:
            # Programs that are started from here do not inherit it.
            return os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        except FileNotFoundError:
            continue  # Another run has just left, and taken the folder along.


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    try:
        path.parent.rmdir()
    except OSError:
        return  # Other runs are there.
