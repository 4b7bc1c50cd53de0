"""Chat histories of the second release: a JSON file each, named by its link.

The release marks no sessions. A part of at least ``PART_MESSAGES`` messages that begins with the
user stands for one, wherever sessions are retrieved or added to a memory.
"""

from collections.abc import Sequence
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import find_file
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.schema import ContextRecord, Message
from personamem.loaders.personamem.contexts import check_messages

PART_MESSAGES = 6
"""The length of the official retriever's chunks (PersonaMem-v2, RAG baseline)."""


class HistoryContexts:
    """Contexts of the second release, read when asked for. Nothing is kept."""

    def __init__(self, folder: Path, table: str, links: Sequence[str]) -> None:
        """``links`` are paths below ``folder``, as ``table`` has them.

        Raises:
            DatasetError: a link leads out of ``folder``, or to no regular file.
        """
        self._folder = folder
        self._links = tuple(dict.fromkeys(links))
        for link in self._links:
            try:
                find_file(folder, link)
            except DatasetError as error:
                raise DatasetError(f"{folder / table} links to a file: {error}") from error

    @property
    def ids(self) -> Sequence[str]:
        """Context ids, which are the links, in order of first use."""
        return self._links

    def length_of(self, shared_context_id: str) -> int | None:
        """Return None: the number of messages is known only after parsing."""
        return None

    def read(self, shared_context_id: str) -> ContextRecord:
        """Read one history.

        Raises:
            DatasetError: not UTF-8 JSON with ``chat_history``, a message without role or content.
        """
        path = self._folder / shared_context_id
        raw = read_json_file(path)
        history = raw.get("chat_history") if isinstance(raw, dict) else None
        messages = check_messages(history, str(path))
        return ContextRecord(shared_context_id, messages, list_part_starts(messages))


def list_part_starts(messages: Sequence[Message]) -> tuple[int, ...]:
    """Return where the parts of a history begin; what precedes the first user is in the first."""
    starts = [0] if messages else []
    users = [i for i, message in enumerate(messages) if message["role"] == "user"]
    begin = users[0] if users else 0
    for index in users:
        if index - begin >= PART_MESSAGES:
            starts.append(index)
            begin = index
    return tuple(starts)


class HistoryIndex:
    """Messages of one history by their text, for finding snippets."""

    def __init__(self, messages: Sequence[Message]) -> None:
        """Note where each text stands."""
        self._places: dict[tuple[str, str], list[int]] = {}
        for index, message in enumerate(messages):
            self._places.setdefault(_name(message), []).append(index)

    def find(self, snippet: Sequence[Message]) -> tuple[int, ...] | None:
        """Return the indices of a snippet's messages, in order; None if one of them is not there.

        Messages are the same if role and text are, white space at the ends aside. Empty ones say
        nothing, so they are neither looked for nor found. No message at all is not there either.
        """
        found: list[int] = []
        for message in snippet:
            if not message["content"].strip():
                continue
            last = found[-1] if found else -1
            later = (place for place in self._places.get(_name(message), ()) if place > last)
            place = next(later, None)
            if place is None:
                return None
            found.append(place)
        return tuple(found) or None


def _name(message: Message) -> tuple[str, str]:
    return message["role"], message["content"].strip()
