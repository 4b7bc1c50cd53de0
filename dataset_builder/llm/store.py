"""The store of answers: a SQLite file with one writer, which a kill never harms.

Every outcome is committed by itself, as soon as it is there. The file is in WAL mode, so that
others read while one run writes, and a killed process leaves whole transactions only. (The log is
not flushed to the disk at each commit: a machine that loses power may lose the answers of the last
seconds, never the file.)

A run that writes holds a lock on ``FILE.lock`` until it closes the store, so that no other run pays
for the same requests. The system drops the lock with the process, however that ends. The empty file
stays: to delete it could give the lock to two runs.
"""

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from filelock import FileLock, Timeout

from personamem.dataset_builder.llm.errors import StoreError
from personamem.dataset_builder.llm.records import (
    Outcome,
    Request,
    outcome_from_json,
    outcome_to_json,
)

APPLICATION_ID = 0x706D656D  # "pmem"
VERSION = 1

OPENING_SECONDS = 10.0
WRITING_SECONDS = 600.0
"""For how long another program that has locked the file is waited for."""

_LOOK_SECONDS = 0.05

_TABLES = (
    "CREATE TABLE answers (key TEXT PRIMARY KEY, request TEXT NOT NULL, outcome TEXT NOT NULL, "
    "stored_at REAL NOT NULL)",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)


class AnswerStore:
    """Outcomes by the keys of requests: a context manager, for any thread, one call at a time.

    Reading needs no lock. The first ``put``, or ``get_or_lock`` of an outcome that is not there,
    takes it until the store is closed.

    Raises:
        StoreError: a path that is not a store or cannot be one; also from every method, if the file
            is damaged, the disk is full, or another run or program has locked the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._patience = OPENING_SECONDS
        self._is_interrupted = threading.Event()
        self._one_call = threading.RLock()
        with self._explain():
            # Another name of the same file has to lead to the same lock.
            target = path.resolve()
            self._file_lock = FileLock(
                target.with_name(f"{target.name}.lock"), timeout=0, thread_local=False
            )
            self._database = sqlite3.connect(
                path, timeout=0, isolation_level=None, check_same_thread=False
            )
        try:
            self._prepare()
        except BaseException:
            self._database.close()
            raise
        self._patience = WRITING_SECONDS

    def get(self, key: str) -> Outcome | None:
        """Return the stored outcome of a request, or None."""
        with self._explain(), self._one_call:
            row = self._execute("SELECT outcome FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else self._read(key, row[0])

    def items(self) -> Iterator[tuple[str, Outcome]]:
        """Yield every key with its outcome, in order of keys."""
        with self._explain():
            for key, text in self._execute("SELECT key, outcome FROM answers ORDER BY key"):
                yield key, self._read(key, text)

    def get_or_lock(self, key: str) -> Outcome | None:
        """Return the stored outcome of a request, or take the store for writing and return None.

        Raises:
            StoreError: there is no outcome, and another run has the store.
        """
        outcome = self.get(key)
        if outcome is None and self._lock():
            # Another run may have stored it meanwhile.
            outcome = self.get(key)
        return outcome

    def put(self, request: Request, outcome: Outcome) -> Outcome:
        """Store an outcome and return what is stored: the first one stays."""
        self._lock()
        text = outcome_to_json(outcome)
        with self._explain(), self._one_call:
            with self._transaction():
                self._execute(
                    "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)",
                    (request.key, request.to_json(), text, time.time()),
                )
                is_first = self._execute("SELECT changes()").fetchone()[0] == 1
            stored = None if is_first else self.get(request.key)
        return outcome if stored is None else stored

    @contextmanager
    def interrupt_waiting(self) -> Iterator[None]:
        """Have no call wait for another program meanwhile: those under way end in a StoreError."""
        self._is_interrupted.set()
        try:
            yield
        finally:
            self._is_interrupted.clear()

    def close(self) -> None:
        """Close the file and let other runs write."""
        with self._one_call:
            self._database.close()
            self._file_lock.release()

    def __len__(self) -> int:
        """Return how many outcomes are stored."""
        with self._explain(), self._one_call:
            return int(self._execute("SELECT COUNT(*) FROM answers").fetchone()[0])

    def __enter__(self) -> Self:
        """Return the store."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def _lock(self) -> bool:
        """Take the store for writing; return whether this call took it, not one before."""
        with self._explain(), self._one_call:
            if self._file_lock.is_locked:
                return False
            try:
                self._file_lock.acquire()
            except Timeout:
                raise StoreError(
                    f"{self.path} is in use by another run, which writes its answers there. Wait "
                    "until that run has ended, and run again."
                ) from None
            return True

    def _prepare(self) -> None:
        with self._explain():
            # Before anything is written: the file may be somebody else's.
            is_new = self._check_format()
            self._execute("PRAGMA journal_mode = WAL")
            self._execute("PRAGMA synchronous = NORMAL")
            if is_new:
                with self._transaction():
                    # Another run may have come between.
                    if self._check_format():
                        for statement in _TABLES:
                            self._execute(statement)

    def _check_format(self) -> bool:
        """Return whether the file is still empty; raise StoreError unless it is that or ours."""
        if not self._execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            return True
        if self._execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise StoreError(
                f"{self.path} is a database of another program. Accepted: a store of answers, or "
                "a path at which there is none yet."
            )
        version = self._execute("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise StoreError(
                f"{self.path} is a store of version {version}; this program reads {VERSION}."
            )
        return False

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement; wait while another program has locked the file.

        SQLite's own waiting can neither be interrupted nor does it cover the change to WAL mode.
        """
        start = time.monotonic()
        while True:
            try:
                return self._database.execute(statement, values)
            except sqlite3.OperationalError as error:
                is_late = time.monotonic() - start > self._patience
                if not _is_locked(error) or is_late or self._is_interrupted.wait(_LOOK_SECONDS):
                    raise

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._execute("BEGIN IMMEDIATE")
        try:
            yield
            self._execute("COMMIT")
        except BaseException:
            # A full disk ends the transaction by itself.
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{self.path}: {_advise(error)}") from error

    def _read(self, key: str, text: str) -> Outcome:
        try:
            return outcome_from_json(text)
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"{self.path} is damaged: the answer to {key} cannot be read ({error})."
            ) from error


def _find_code(error: Exception) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _is_locked(error: Exception) -> bool:
    return _find_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _advise(error: Exception) -> str:
    code = _find_code(error)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return (
            f"an answer cannot be written ({error}). All answers stored before are kept; make "
            "room on the disk and run again."
        )
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return (
            f"not a store of answers, or damaged ({error}). Accepted: a store, or a path at which "
            "there is none yet."
        )
    if _is_locked(error):
        return "locked by another program. End that program and run again."
    return f"cannot be used as a store of answers ({error})."
