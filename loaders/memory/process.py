"""A memory in a process of its own: one JSON object a line, in and out.

Requests: ``{"op": "open", "folder"}`` first, with a place for files; ``{"op": "add", "user",
"session_id", "messages"}``, ``{"op": "search", "user", "query", "as_of", "max_tokens"}``,
``{"op": "flush"}`` and ``{"op": "close"}``. Replies: ``{"ok": true}``, ``{"results": [{"text",
"score", "sources"}]}``, or ``{"error": "..."}``. A program that can do more says so in its reply to
``open``: ``{"methods": ["list", "reset", "save", "load"], "rewrites": false}``; these get ``user``
or ``folder``, and ``list`` answers like ``search``. What the process writes to stderr is shown as
it comes.
"""

import json
import os
import queue
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.protocol import DatedMessage, Memory, MemoryFailure

PREFIX = "cmd:"
MOST_BYTES = 16 * 2**20
"""Of one reply."""

SECONDS = 600.0
"""That a reply may take."""

_END = 5.0
_OPTIONAL = frozenset({"list", "reset", "save", "load"})


class ProcessMemory:
    """Talks to ``command``; the process is started at once and ended by ``close``.

    ``list``, ``reset``, ``save`` and ``load`` are there if the program says that it has them.
    """

    def __init__(
        self,
        command: str,
        seconds: float = SECONDS,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the program and open it in ``folder``, with more variables in its environment.

        Raises:
            InvalidInputError: there is no such program.
            MemoryFailure: it does not answer.
        """
        words = shlex.split(command)
        if not words:
            raise InvalidInputError(f"memory {PREFIX!r} names no program.")
        try:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=-1,
                env={**os.environ, **(environment or {})},
            )
        except OSError as error:
            raise InvalidInputError(f"memory {command!r} cannot be started: {error}") from error
        self._command, self._seconds = command, seconds
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            reply = self._ask(op="open", folder=str(folder or ""))
        except MemoryFailure:
            self.close()
            raise
        self.rewrites = reply.get("rewrites") is True
        methods = reply.get("methods")
        for name in _OPTIONAL.intersection(methods if isinstance(methods, list) else ()):
            setattr(self, name, getattr(self, f"_{name}"))

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        """Hand a session over."""
        self._ask(op="add", user=user, session_id=session_id, messages=list(messages))

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return what the process found."""
        return self._ask_for_results(
            op="search", user=user, query=query, as_of=as_of, max_tokens=max_tokens
        )

    def flush(self) -> None:
        """Wait until all that was added can be found."""
        self._ask(op="flush")

    def close(self) -> None:
        """End the process."""
        if self._process.poll() is None:
            try:
                self._write({"op": "close"})
                self._process.wait(_END)
            except (MemoryFailure, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # What was not written yet has no reader any more.
                    pipe.close()

    def _list(self, user: str) -> Sequence[Memory]:
        return self._ask_for_results(op="list", user=user)

    def _reset(self, user: str) -> None:
        self._ask(op="reset", user=user)

    def _save(self, folder: Path) -> None:
        self._ask(op="save", folder=str(folder))

    def _load(self, folder: Path) -> None:
        self._ask(op="load", folder=str(folder))

    def _ask_for_results(self, **request: Any) -> Sequence[Memory]:
        results = self._ask(**request).get("results")
        if not isinstance(results, list):
            raise MemoryFailure(f"{self._command}: a reply to {request['op']} has no results.")
        return [self._read_result(result) for result in results]

    def _ask(self, **request: Any) -> Mapping[str, Any]:
        self._write(request)
        try:
            line = self._lines.get(timeout=self._seconds)
        except queue.Empty:
            self._process.kill()
            raise MemoryFailure(
                f"{self._command}: no reply to {request['op']} within {self._seconds:g} seconds."
            ) from None
        if not line:
            code = self._process.wait()
            raise MemoryFailure(f"{self._command}: it ended with exit code {code}.")
        if len(line) > MOST_BYTES or not line.endswith(b"\n"):
            self._process.kill()
            raise MemoryFailure(f"{self._command}: a reply of more than {MOST_BYTES:,} bytes.")
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            raise MemoryFailure(
                f"{self._command}: a reply is not JSON: {line[:80].decode('utf-8', 'replace')!r}."
            ) from None
        if not isinstance(reply, dict) or "error" in reply:
            said = reply.get("error") if isinstance(reply, dict) else reply
            raise MemoryFailure(f"{self._command}: {str(said)[:200]}")
        return reply

    def _write(self, request: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            code = self._process.wait()
            raise MemoryFailure(f"{self._command}: it ended with exit code {code}.") from None

    def _read(self) -> None:
        assert self._process.stdout is not None
        while line := self._process.stdout.readline(MOST_BYTES + 1):
            self._lines.put(line)
        self._lines.put(b"")

    def _read_result(self, result: Any) -> Memory:
        try:
            text, score = result["text"], float(result.get("score", 0.0))
            sources = tuple(map(str, result.get("sources") or ()))
            if not isinstance(text, str):
                raise TypeError
        except (TypeError, KeyError, ValueError, AttributeError):
            raise MemoryFailure(
                f"{self._command}: a result is not an object with a text: {str(result)[:80]!r}."
            ) from None
        return Memory(text, score, sources)
