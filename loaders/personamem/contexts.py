"""Reading contexts one at a time: from Parquet by row group, from JSONL by byte offset.

A 1M split holds about 52 contexts of 4-6 MB each. Neither store keeps them: it keeps an index,
built without parsing any message, and reads one context when asked. Caching is the caller's.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from personamem.loaders.formats.csv_rows import not_utf8
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import open_file
from personamem.loaders.formats.json_files import parse_json
from personamem.loaders.formats.parquet import check_columns, open_parquet, translate_faults
from personamem.loaders.formats.records import make_schema, read_record
from personamem.loaders.formats.schema import (
    CONTEXTS_SCHEMA,
    ContextHead,
    ContextRecord,
    Message,
)

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
            DatasetError: not Parquet, columns missing or of another type, a null, an id twice.
        """
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._heads: dict[str, ContextHead] = {}
        self._group: tuple[int, pa.ChunkedArray] | None = None
        groups = []
        with open_parquet(path) as file:
            check_columns(path, file.schema_arrow, CONTEXTS_SCHEMA)
            names = make_schema(ContextHead).names
            for group in range(file.num_row_groups):
                groups.append(file.read_row_group(group, columns=names).to_pylist())
        number = 0
        for group, rows in enumerate(groups):
            for place, row in enumerate(rows):
                number += 1
                self._add(read_record(ContextHead, row, f"{path}, row {number}"), (group, place))

    @property
    def ids(self) -> Sequence[str]:
        """Context ids in file order."""
        return tuple(self._places)

    def length_of(self, shared_context_id: str) -> int | None:
        """Return the number of messages of a context."""
        head = self._heads.get(shared_context_id)
        return None if head is None else head.num_messages

    def read(self, shared_context_id: str) -> ContextRecord:
        """Read one context. The decoded row group stays, since its other row is asked for next.

        Raises:
            DatasetError: a damaged page, a message without role or content, sessions or a number of
                messages that are not those of the messages.
        """
        head = self._heads[shared_context_id]
        where = f"{self._path}, context {shared_context_id}"
        messages = check_messages(self._read_messages(shared_context_id), where)
        if len(messages) != head.num_messages:
            raise DatasetError(
                f"{where} holds {len(messages)} messages, its num_messages says "
                f"{head.num_messages}."
            )
        sessions = {len(head.session_starts), len(head.session_topics), len(head.session_dates)}
        if len(sessions) != 1 or not _are_starts(head.session_starts, len(messages)):
            raise DatasetError(
                f"{where}: session_starts, session_topics and session_dates do not describe the "
                f"same sessions, from message 0 on and in order."
            )
        return ContextRecord(
            context_id=shared_context_id,
            messages=messages,
            session_starts=head.session_starts,
            session_topics=head.session_topics,
            session_dates=head.session_dates,
            persona_id=head.persona_id,
            num_tokens=head.num_tokens,
            num_letters=head.num_letters,
        )

    def _add(self, head: ContextHead, place: tuple[int, int]) -> None:
        if head.shared_context_id in self._places:
            raise DatasetError(f"{self._path}: context {head.shared_context_id} occurs twice.")
        self._places[head.shared_context_id] = place
        self._heads[head.shared_context_id] = head

    def _read_messages(self, shared_context_id: str) -> object:
        group, row = self._places[shared_context_id]
        if self._group is None or self._group[0] != group:
            self._group = None
            with open_parquet(self._path) as file:
                column = file.read_row_group(group, columns=["messages"]).column("messages")
            self._group = (group, column)
        with translate_faults(self._path):
            return self._group[1][row].as_py()


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
        with open_file(path) as stream:
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
        with open_file(self._path) as stream:
            stream.seek(offset)
            line = stream.read(length)
        where = f"{self._path}, line {self._numbers[shared_context_id]}"
        try:
            parsed = parse_json(line)
        except ValueError as error:
            raise DatasetError(f"{where} is not valid JSON: {error}.") from error
        if not isinstance(parsed, dict) or list(parsed) != [shared_context_id]:
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
        try:
            return str(parse_json(match[1]))
        except ValueError as error:
            raise DatasetError(
                f"{self._path}, line {number}: the context id is not valid JSON: {error}."
            ) from error


def _are_starts(starts: Sequence[int], messages: int) -> bool:
    """Return whether message indices can be those at which sessions start."""
    bounds = [-1, *starts, messages]
    ascending = all(a < b for a, b in pairwise(bounds))
    return ascending and (starts[0] == 0 if starts else messages == 0)


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
