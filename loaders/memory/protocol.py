"""The interface of a memory system.

Two methods are needed: ``add`` takes the chats of a user in the order of time, ``search`` returns
what bears on a query. A system may have more: ``open(folder)`` before anything else, with a place
for its files; ``flush()`` before a search, for indexers in the background; ``list(user)`` with all
that it keeps, which tells what was never written from what was not found; ``save(folder)`` and
``load(folder)``, without which a killed run takes in the sessions of a context again;
``reset(user)``, ``close()``. A system that writes texts of its own, which repeat nothing word for
word and name no sessions, says ``rewrites = True``: nobody can tell then what evidence they hold.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypedDict, runtime_checkable

from personamem.loaders.formats.errors import PersonamemError

MOST_REWRITTEN = 2_048
"""Tokens of the text that an agentic memory keeps of a user, in o200k_base."""


class DatedMessage(TypedDict):
    """A message with its moment, ISO 8601 without a zone, such as "2024-03-25T09:00:00"."""

    role: str
    content: str
    timestamp: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Something that a search found; ``sources`` are the ids of the sessions that it comes from.

    A system that does not know the sources leaves them empty; recall is then told by the text.
    """

    text: str
    score: float = 0.0
    sources: tuple[str, ...] = ()


@runtime_checkable
class MemorySystem(Protocol):
    """A memory of several users, who must not see each other's chats."""

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        """Take in one session; sessions come in the order of time, each once."""

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return what bears on ``query`` on the day ``as_of``, best first.

        ``max_tokens`` bounds the texts together, in o200k_base tokens.
        """


class MemoryFailure(PersonamemError):
    """A memory system that failed: it crashed, hung, or answered what nobody can read."""


def supports(system: MemorySystem, *names: str) -> bool:
    """Return whether a system has all of these methods."""
    return all(callable(getattr(system, name, None)) for name in names)


def call_optional(system: MemorySystem, name: str, *arguments: Any) -> Any:
    """Call a method that a system may have; None if it has none."""
    method = getattr(system, name, None)
    return method(*arguments) if callable(method) else None
