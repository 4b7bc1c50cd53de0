"""The memory condition of the tasks: what a memory system returns replaces the context."""

import atexit
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message, Question
from personamem.loaders.memory.protocol import (
    Memory,
    MemoryFailure,
    MemorySystem,
    call_optional,
)
from personamem.loaders.memory.runner import add_session, search_memory
from personamem.loaders.memory.scoring import cut_to_budget
from personamem.loaders.memory.systems import make_system
from personamem.loaders.memory.timeline import AddStep, list_steps
from personamem.loaders.personamem.dataset import PersonaMem

DEFAULT_SYSTEM, DEFAULT_BUDGET = "bm25", 2_000

_NOTHING = "Nothing that is kept of earlier chats bears on this."
_KEPT = "What is kept of the user's earlier chats and bears on the message that follows:"


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """A system by its name (see ``make_system``), and the tokens that a search may return."""

    system: str
    budget: int


def read_memory_settings(metadata: Mapping[str, Any]) -> MemorySettings:
    """Return the settings that lm-eval's ``--metadata`` names: ``memory`` and ``budget``.

    Raises:
        InvalidInputError: ``budget`` is no number from 1.
    """
    budget = metadata.get("budget", DEFAULT_BUDGET)
    # lm-eval passes key=value pairs on as text.
    tokens = int(budget) if isinstance(budget, str) and budget.isdecimal() else budget
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        raise InvalidInputError(
            f"--metadata has budget {budget!r}. Accepted: a whole number of tokens from 1."
        )
    return MemorySettings(str(metadata.get("memory", DEFAULT_SYSTEM)), tokens)


class MemoryRecall:
    """Runs a memory over a context when one of its questions is asked for first, and keeps what it
    found for the others.

    A search that fails finds nothing; ``failures`` says which did, and why.
    """

    def __init__(self, data: PersonaMem, settings: MemorySettings) -> None:
        """Start the system. Raises InvalidInputError where there is none of that name."""
        self.failures: dict[str, str] = {}
        self._data, self._budget = data, settings.budget
        self._system: MemorySystem = make_system(settings.system, data)
        self._found: dict[str, tuple[Memory, ...]] = {}
        atexit.register(self.close)  # lm-eval tells no task when it has ended.

    def find(self, question: Question) -> tuple[Memory, ...]:
        """Return what the memory found for a question, within the budget."""
        if question.question_id not in self._found:
            self._run(question.shared_context_id)
        return self._found[question.question_id]

    def messages_for(self, question: Question) -> list[Message]:
        """Return one system message that holds what was found."""
        texts = [memory.text.strip() for memory in self.find(question)]
        content = "\n\n".join((_KEPT, *texts)) if texts else _NOTHING
        return [{"role": "system", "content": content}]

    def close(self) -> None:
        """End the system."""
        call_optional(self._system, "close")

    def _run(self, context_id: str) -> None:
        for step in list_steps(self._data, context_id):
            if isinstance(step, AddStep):
                add_session(self._system, step)
                continue
            call_optional(self._system, "flush")
            found: Sequence[Memory] = ()
            try:
                found = search_memory(self._system, step, self._budget)
            except MemoryFailure as failure:
                self.failures[step.question.question_id] = str(failure)
            self._found[step.question.question_id] = tuple(cut_to_budget(found, self._budget)[0])
