"""What a memory did for one answer, as samples state it: what it kept and found of the evidence.

The tasks with the condition ``memory`` write it, reports count it, sites show it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

CAUSES = ("never written", "not found", "found and not used", "unknown")
"""Why an answer from a memory is wrong: the first of its links that broke."""


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """What a memory did for one question: ``recall`` and ``written`` are shares of its evidence
    that came back and that are kept at all, None where nobody can tell; ``tokens`` came back.

    ``context`` names the context, ``cost`` says what taking that in took.
    """

    recall: float | None
    written: float | None
    tokens: int
    seconds: float
    failure: str
    context: str
    cost: "ContextCost"

    @property
    def cause(self) -> str:
        """Why the answer is wrong, if it is."""
        if self.recall == 1:
            return CAUSES[2]
        if self.failure or (self.recall is not None and self.written == 1):
            return CAUSES[1]
        if self.recall is not None and self.written is not None:
            return CAUSES[0]
        return CAUSES[3]


@dataclass(frozen=True, slots=True)
class ContextCost:
    """What a memory took for one context: sessions and tokens added, seconds, chat calls."""

    sessions: int
    tokens: int
    seconds: float
    calls: int
    prompt_tokens: int
    completion_tokens: int


def read_note(note: Mapping[str, Any]) -> MemoryNote:
    """Return what a sample says of a memory.

    Raises:
        LookupError, TypeError or ValueError: it is not as the tasks write it.
    """
    cost = note["context"]
    used = [cost["add"], cost["search"]]
    return MemoryNote(
        recall=note["recall"],
        written=note["written"],
        tokens=int(note["tokens"]),
        seconds=float(note["seconds"]),
        failure=str(note["failure"]),
        context=str(note["context_id"]),
        cost=ContextCost(
            sessions=int(cost["sessions"]),
            tokens=int(cost["tokens"]),
            seconds=float(cost["seconds"]),
            calls=sum(int(usage["calls"]) for usage in used),
            prompt_tokens=sum(int(usage["prompt_tokens"]) for usage in used),
            completion_tokens=sum(int(usage["completion_tokens"]) for usage in used),
        ),
    )
