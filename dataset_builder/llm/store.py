"""The store of answers: a SQLite file that several runs may share, and that a kill never harms.

Every outcome is committed by itself, as soon as it is there. The file is in WAL mode, so that runs
read while another writes, and a killed process leaves whole transactions only. (The log is not
flushed to the disk at each commit: a machine that loses power may lose the answers of the last
seconds, never the file.)

Before a request is sent it is claimed, so that no other live run pays for it too. See
``runs.RunLock`` for how the claims of a dead run are told.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Self

from personamem.dataset_builder.llm.errors import StoreError
from personamem.dataset_builder.llm.records import (
    Outcome,
    Request,
    outcome_from_json,
    outcome_to_json,
)
from personamem.dataset_builder.llm.runs import RunLock, is_alive, list_runs

APPLICATION_ID = 0x706D656D  # "pmem"
VERSION = 1

_TABLES = (
    "CREATE TABLE answers (key TEXT PRIMARY KEY, request TEXT NOT NULL, outcome TEXT NOT NULL, "
    "stored_at REAL NOT NULL)",
    "CREATE TABLE claims (key TEXT PRIMARY KEY, run TEXT NOT NULL) WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)


class Claim(Enum):
    """Who asks for a request that has no outcome yet."""

    OURS = "ours"
    TAKEN = "taken"


class AnswerStore:
    """Outcomes by the keys of requests. Use it as a context manager, in one thread.

    Raises:
        StoreError: a path that is not a store or cannot be one; also from every method, when the
            file is damaged or the disk is full.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._run: RunLock | None = None
        self._claimed: set[str] = set()
        with self._explain():
            self._database = sqlite3.connect(path, timeout=60, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._database.close()
            raise

    def get(self, key: str) -> Outcome | None:
        """Return the stored outcome of a request, or None."""
        with self._explain():
            row = self._database.execute(
                "SELECT outcome FROM answers WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else self._read(key, row[0])

    def items(self) -> Iterator[tuple[str, Outcome]]:
        """Yield every key with its outcome, in order of keys."""
        with self._explain():
            for key, text in self._database.execute(
                "SELECT key, outcome FROM answers ORDER BY key"
            ):
                yield key, self._read(key, text)

    def claim(self, request: Request) -> Outcome | Claim:
        """Return the outcome, or whether it is for us to ask: OURS once, TAKEN to all others.

        An answer or ``release`` ends a claim, and so does the end of the run that holds it.
        """
        outcome = self.get(request.key)
        if outcome is not None:
            return outcome
        if request.key in self._claimed:
            return Claim.TAKEN
        with self._explain(), self._transaction():
            # Another run may have come between.
            outcome = self.get(request.key)
            if outcome is not None:
                return outcome
            row = self._database.execute(
                "SELECT run FROM claims WHERE key = ?", (request.key,)
            ).fetchone()
            if row is not None and not self._end_if_dead(row[0]):
                return Claim.TAKEN
            if self._run is None:
                # In a transaction no other run is between making its mark and locking it.
                for run in list_runs(self.path):
                    self._end_if_dead(run)
                self._run = RunLock(self.path)
            self._database.execute(
                "INSERT INTO claims VALUES (?, ?)", (request.key, self._run.name)
            )
        self._claimed.add(request.key)
        return Claim.OURS

    def put(self, request: Request, outcome: Outcome) -> Outcome:
        """Store an outcome, end the claim, and return what is stored: the first one stays."""
        text = outcome_to_json(outcome)
        with self._explain(), self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)",
                (request.key, request.to_json(), text, time.time()),
            )
            self._database.execute("DELETE FROM claims WHERE key = ?", (request.key,))
        self._claimed.discard(request.key)
        stored = self.get(request.key)
        return outcome if stored is None else stored

    def release(self, key: str) -> None:
        """Give up a claim, so that others may ask."""
        if key in self._claimed:
            self._claimed.discard(key)
            with self._explain():
                self._database.execute("DELETE FROM claims WHERE key = ?", (key,))

    def close(self) -> None:
        """Give up all claims and close the file."""
        try:
            if self._run is not None:
                with self._explain():
                    self._database.execute("DELETE FROM claims WHERE run = ?", (self._run.name,))
        finally:
            self._claimed.clear()
            if self._run is not None:
                self._run.end()
                self._run = None
            self._database.close()

    def __len__(self) -> int:
        """Return how many outcomes are stored."""
        with self._explain():
            return int(self._database.execute("SELECT COUNT(*) FROM answers").fetchone()[0])

    def __enter__(self) -> Self:
        """Return the store."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store; what went wrong before is more telling than a failure to do so."""
        try:
            self.close()
        except StoreError:
            if error is None:
                raise

    def _prepare(self) -> None:
        with self._explain():
            # Before anything is written: the file may be somebody else's.
            is_new = self._check_format()
            self._switch_to_wal()
            self._database.execute("PRAGMA synchronous = NORMAL")
            if is_new:
                with self._transaction():
                    # Another run may have come between.
                    if self._check_format():
                        for statement in _TABLES:
                            self._database.execute(statement)

    def _check_format(self) -> bool:
        """Return whether the file is still empty; raise StoreError unless it is that or ours."""
        read = self._database.execute
        if not read("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            return True
        if read("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise StoreError(
                f"{self.path} is a database of another program. Accepted: a store of answers, or "
                "a path at which there is none yet."
            )
        version = read("PRAGMA user_version").fetchone()[0]
        if version != VERSION:
            raise StoreError(
                f"{self.path} is a store of version {version}; this program reads {VERSION}."
            )
        return False

    def _switch_to_wal(self) -> None:
        # SQLite does not wait here for another process that does the same.
        for _ in range(200):
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    raise
            time.sleep(0.05)
        raise StoreError(f"{self.path} is locked by another program.")

    def _end_if_dead(self, run: str) -> bool:
        """Drop the claims of a run that is no more; return whether it is none."""
        if is_alive(self.path, run):
            return False
        self._database.execute("DELETE FROM claims WHERE run = ?", (run,))
        return True

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
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
            code = getattr(error, "sqlite_errorcode", None)
            raise StoreError(f"{self.path}: {_advise(code, error)}") from error

    def _read(self, key: str, text: str) -> Outcome:
        try:
            return outcome_from_json(text)
        except (ValueError, TypeError, KeyError) as error:
            raise StoreError(
                f"{self.path} is damaged: the answer to {key} cannot be read ({error})."
            ) from error


def _advise(code: int | None, error: Exception) -> str:
    primary = None if code is None else code & 0xFF
    if primary in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return (
            f"an answer cannot be written ({error}). All answers stored before are kept; make "
            "room on the disk and run again."
        )
    if primary in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return (
            f"not a store of answers, or damaged ({error}). Accepted: a store, or a path at which "
            "there is none yet."
        )
    if primary in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "locked by another program for a minute; end it and run again."
    return f"cannot be used as a store of answers ({error})."
