"""The memory condition of the tasks: what a memory system returns replaces the context."""

import atexit
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message
from personamem.loaders.memory.records import ContextRun, Search
from personamem.loaders.memory.runs import MemoryRun
from personamem.loaders.memory.systems import MemoryFactory, Models, read_models
from personamem.loaders.memory.timeline import MemoryData, map_questions

DEFAULT_SYSTEM, DEFAULT_BUDGET = "bm25", 2_000

_NOTHING = "Nothing that is kept of earlier chats bears on this."
_KEPT = "What is kept of the user's earlier chats and bears on the message that follows:"


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What runs: a system by its name (see ``MemoryFactory``), and the tokens of a search.

    ``folder`` is where the run is kept; ``personamem memory --out`` makes it, or the task does.
    """

    system: str = DEFAULT_SYSTEM
    budget: int = DEFAULT_BUDGET
    folder: str = ""
    models: Models = field(default_factory=Models)


def read_memory_settings(metadata: Mapping[str, Any]) -> MemorySettings:
    """Return the settings that lm-eval's ``--metadata`` names: ``memory``, ``budget``,
    ``memory_folder`` and ``memory_options`` with the fields of ``Models``.

    Raises:
        InvalidInputError: ``budget`` is no number from 1, or an option is unknown.
    """
    budget = metadata.get("budget", DEFAULT_BUDGET)
    # lm-eval passes key=value pairs on as text.
    tokens = int(budget) if isinstance(budget, str) and budget.isdecimal() else budget
    if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 1:
        raise InvalidInputError(
            f"--metadata has budget {budget!r}. Accepted: a whole number of tokens from 1."
        )
    options = metadata.get("memory_options") or {}
    if not isinstance(options, Mapping):
        raise InvalidInputError(
            f"--metadata has memory_options {options!r}. Accepted: an object with names and texts."
        )
    return MemorySettings(
        str(metadata.get("memory", DEFAULT_SYSTEM)),
        tokens,
        str(metadata.get("memory_folder", "")),
        read_models(options),
    )


class Asked(Protocol):
    """A question of any family."""

    @property
    def question_id(self) -> str:
        """Its id within the split."""


class MemoryRecall:
    """Runs a memory over a context when one of its questions is asked for first, and keeps what it
    found for the others.

    A search that fails finds nothing; ``failures`` says which did, and why.
    """

    def __init__(self, data: MemoryData, settings: MemorySettings) -> None:
        """Open the run. Raises InvalidInputError where there is no such system."""
        self.failures: dict[str, str] = {}
        self._settings, self._budget = settings, settings.budget
        self._factory = MemoryFactory(settings.system, data, settings.models)
        folder = Path(settings.folder) if settings.folder else None
        self._run = MemoryRun(data, self._factory, [settings.budget], folder=folder)
        self._contexts = map_questions(data)
        self._units = {
            context_id: number
            for number, group in enumerate(self._run.groups)
            for context_id in group
        }
        self._searches: dict[str, Search] = {}
        self._runs: dict[str, ContextRun] = {}
        atexit.register(self.close)  # lm-eval tells no task when it has ended.

    def find(self, question: Asked) -> Search:
        """Return what the memory found for a question, within the budget."""
        if question.question_id not in self._searches:
            for run in self._run.run_unit(self._units[self._contexts[question.question_id]]):
                self._runs[run.context_id] = run
                self.failures.update(_split(line) for line in run.failures)
                self._searches.update(
                    (search.question_id, search)
                    for search in run.searches
                    if search.budget == self._budget
                )
        return self._searches[question.question_id]

    def describe(self, question: Asked) -> dict[str, Any]:
        """Return what reports need to know: how good the search was, and what its context took."""
        search = self.find(question)
        run = self._runs[self._contexts[question.question_id]]
        return {
            "system": self._settings.system,
            "budget": search.budget,
            **asdict(search.score),
            "sources": [list(memory.sources) for memory in search.found],
            "failure": self.failures.get(question.question_id, ""),
            "context_id": run.context_id,
            "context": {
                "sessions": run.adds,
                "tokens": run.added_tokens,
                "seconds": round(run.add_seconds, 3),
                "add": asdict(run.add_usage),
                "search": asdict(run.search_usage),
            },
        }

    def texts_for(self, question: Asked) -> list[str]:
        """Return the texts that were found, best first."""
        return [memory.text.strip() for memory in self.find(question).found]

    def messages_for(self, question: Asked) -> list[Message]:
        """Return one system message that holds what was found."""
        texts = self.texts_for(question)
        content = "\n\n".join((_KEPT, *texts)) if texts else _NOTHING
        return [{"role": "system", "content": content}]

    def close(self) -> None:
        """End the run."""
        self._run.close()
        self._factory.close()


def _split(failure: str) -> tuple[str, str]:
    where, _, problem = failure.partition(": ")
    return where, problem
