"""What happens to a memory, step by step: a session is added, or a question is asked."""

from dataclasses import dataclass

from personamem.loaders.memory.protocol import DatedMessage

_PART = "#"
"""Between the id of a session and where a part of it begins: no dataset has it in its ids."""


@dataclass(frozen=True, slots=True)
class AddStep:
    """A session, or a part of one, to be added."""

    user: str
    session_id: str
    messages: tuple[DatedMessage, ...]


@dataclass(frozen=True, slots=True)
class AskStep:
    """A question to be asked on the day ``as_of``, by its text alone.

    ``evidence`` has the ids of the sessions for each thing to find, any one of which will do, the
    likeliest first. ``related`` sessions hold mentions of the other options, or of the right one at
    another time. Either is None where the dataset does not say.
    """

    user: str
    question_id: str
    query: str
    as_of: str
    evidence: tuple[tuple[str, ...], ...] | None
    related: frozenset[str] | None


Step = AddStep | AskStep


def name_user(context_id: str) -> str:
    """Return the name of the user of a context: contexts of one persona are users of their own."""
    return f"user-{context_id}"


def name_part(session_id: str, start: int) -> str:
    """Return the id of the part of a session that begins at its message ``start``."""
    return f"{session_id}{_PART}{start}" if start else session_id


def name_whole(session_id: str) -> str:
    """Return the id of the session that a part belongs to."""
    return session_id.split(_PART, 1)[0]
