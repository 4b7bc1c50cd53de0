"""Reading contexts one at a time: from Parquet by row group, from JSONL by byte offset.

A 1M split holds about 52 contexts of 4-6 MB each. Neither store keeps them: it keeps an index,
built without parsing any message, and reads one context when asked. Caching is the caller's.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.loaders.formats.csv_rows import not_utf8
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.schema import CONTEXTS_SCHEMA, ContextRecord, Message
from personamem.loaders.personamem.questions import check_columns

ROLES = ("system", "user", "assistant")
_FIRST_KEY = re.compile(rb'\s*\{\s*("(?:[^"\\]|\\.)*")\s*:')


class ContextStore(Protocol):
    """Contexts by id."""

    @property
    def ids(self) -> Sequence[str]:
        """Context ids in file order."""

    def length_of(self, shared_context_id: str) -> int | None:
        """Return a context's number of messages, or None where only reading it tells."""

    def read(self, shared_context_id: str) -> ContextRecord:
        """Read one context."""


class ParquetContexts:
    """Contexts of ``contexts/<split>.parquet``. The index comes from the small columns alone."""

    def __init__(self, path: Path) -> None:
        """Build the index.

        Raises:
            DatasetError: not Parquet, columns missing or of another type, an id twice.
        """
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._stated: dict[str, dict[str, Any]] = {}
        self._group: tuple[int, pa.ChunkedArray] | None = None
        try:
            file = pq.ParquetFile(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise DatasetError(f"{path} cannot be read as Parquet: {error}") from error
        with file:
            check_columns(path, file.schema_arrow, CONTEXTS_SCHEMA)
            for group in range(file.num_row_groups):
                self._index_group(file, group)

    @property
    def ids(self) -> Sequence[str]:
        """Context ids in file order."""
        return tuple(self._places)

    def length_of(self, shared_context_id: str) -> int | None:
        """Return the number of messages of a context."""
        stated = self._stated.get(shared_context_id)
        return None if stated is None else int(stated["num_messages"])

    def read(self, shared_context_id: str) -> ContextRecord:
        """Read one context. The decoded row group stays, since its other row is asked for next.

        Raises:
            DatasetError: a message without role or content.
        """
        group, row = self._places[shared_context_id]
        if self._group is None or self._group[0] != group:
            self._group = None
            with pq.ParquetFile(self._path) as file:
                column = file.read_row_group(group, columns=["messages"]).column("messages")
            self._group = (group, column)
        where = f"{self._path}, context {shared_context_id}"
        messages = check_messages(self._group[1][row].as_py(), where)
        stated = self._stated[shared_context_id]
        if len(messages) != stated["num_messages"]:
            raise DatasetError(
                f"{where} holds {len(messages)} messages, its num_messages says "
                f"{stated['num_messages']}."
            )
        sessions = {len(stated[f"session_{name}"]) for name in ("starts", "topics", "dates")}
        if len(sessions) != 1 or not _are_starts(stated["session_starts"], len(messages)):
            raise DatasetError(
                f"{where}: session_starts, session_topics and session_dates do not describe the "
                f"same sessions, from message 0 on and in order."
            )
        return ContextRecord(
            context_id=shared_context_id,
            messages=messages,
            session_starts=tuple(stated["session_starts"]),
            session_topics=tuple(stated["session_topics"]),
            session_dates=tuple(stated["session_dates"]),
            persona_id=stated["persona_id"],
            num_tokens=stated["num_tokens"],
            num_letters=stated["num_letters"],
        )

    def _index_group(self, file: pq.ParquetFile, group: int) -> None:
        columns = [name for name in CONTEXTS_SCHEMA.names if name != "messages"]
        rows = file.read_row_group(group, columns=columns).to_pylist()
        for row, entry in enumerate(rows):
            identifier = entry["shared_context_id"]
            if identifier in self._places:
                raise DatasetError(f"{self._path}: context {identifier} occurs twice.")
            self._places[identifier] = (group, row)
            self._stated[identifier] = entry


class JsonlContexts:
    """Contexts of ``shared_contexts_<split>.jsonl``: a line ``{id: [{role, content}, ...]}`` each.

    The index takes one pass over the bytes: each line's id, offset and length. The lines are
    checked to be UTF-8, but not parsed. Sessions are taken to start at system messages.
    """

    def __init__(self, path: Path) -> None:
        """Build the index.

        Raises:
            DatasetError: not UTF-8, a line that does not start as ``{"<id>":``, or one id with two
                different contexts (the same line twice is accepted).
        """
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._numbers: dict[str, int] = {}
        hashes: dict[str, int] = {}
        offset = 0
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    identifier = self._read_id(line, number, offset)
                    if hashes.setdefault(identifier, hash(line.strip())) != hash(line.strip()):
                        raise DatasetError(
                            f"{path}, line {number}: context {identifier} occurs twice with "
                            f"different messages (first in line {self._numbers[identifier]})."
                        )
                    self._places.setdefault(identifier, (offset, len(line)))
                    self._numbers.setdefault(identifier, number)
                offset += len(line)

    @property
    def ids(self) -> Sequence[str]:
        """Context ids in file order."""
        return tuple(self._places)

    def length_of(self, shared_context_id: str) -> int | None:
        """Return None: the number of messages is known only after parsing."""
        return None

    def read(self, shared_context_id: str) -> ContextRecord:
        """Read and parse one line.

        Raises:
            DatasetError: not JSON, more than one id in the line, a message without role or content.
        """
        offset, length = self._places[shared_context_id]
        with self._path.open("rb") as stream:
            stream.seek(offset)
            line = stream.read(length)
        where = f"{self._path}, line {self._numbers[shared_context_id]}"
        try:
            parsed = json.loads(line)
        except json.JSONDecodeError as error:
            raise DatasetError(f"{where} is not valid JSON: {error}.") from error
        if list(parsed) != [shared_context_id]:
            raise DatasetError(f"{where} holds {len(parsed)} contexts; one a line is expected.")
        messages = check_messages(
            parsed[shared_context_id], f"{where}, context {shared_context_id}"
        )
        starts = [i for i, message in enumerate(messages) if message["role"] == "system"]
        return ContextRecord(
            shared_context_id, messages, tuple(starts if 0 in starts else [0, *starts])
        )

    def _read_id(self, line: bytes, number: int, offset: int) -> str:
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise not_utf8(self._path, error, offset) from error
        match = _FIRST_KEY.match(line)
        if match is None:
            raise DatasetError(
                f'{self._path}, line {number} does not start as {{"<context id>": ...; '
                f"found {line[:60]!r}."
            )
        identifier = json.loads(match[1])
        assert isinstance(identifier, str)
        return identifier


def _are_starts(starts: Sequence[int], messages: int) -> bool:
    """Return whether message indices can be those at which sessions start."""
    begins = not starts or starts[0] == 0
    return begins and list(starts) == sorted({*starts} & {*range(messages)})


def check_messages(raw: object, where: str) -> tuple[Message, ...]:
    """Return ``raw`` as messages; raises DatasetError for one without a known role or a text."""
    if not isinstance(raw, list):
        raise DatasetError(f"{where} is not a list of messages.")
    messages: list[Message] = []
    for index, message in enumerate(raw):
        role = message.get("role") if isinstance(message, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if role not in ROLES or not isinstance(content, str):
            raise DatasetError(
                f"{where}, message {index}: role {role!r} with {type(content).__name__} content. "
                f"Accepted: a role of {', '.join(ROLES)} with a text."
            )
        messages.append({"role": role, "content": content})
    return tuple(messages)
