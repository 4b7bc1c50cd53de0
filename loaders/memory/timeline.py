"""What memories are run over: contexts of chats, or what another family has.

``list_steps`` tells what happens to a memory of one context, in the order of time.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol

from personamem.loaders.formats.registry import FAMILIES
from personamem.loaders.memory.chats import list_chat_steps
from personamem.loaders.memory.steps import Step
from personamem.loaders.personamem.dataset import PersonaMem, load_personamem


class Timelines(Protocol):
    """A split whose contexts are no chats with an assistant alone."""

    source: str
    split: str
    context_ids: tuple[str, ...]

    def map_questions(self) -> dict[str, str]:
        """Return the context of each question, by their ids."""

    def list_steps(self, context_id: str) -> Iterator[Step]:
        """Yield what happens to a memory of one context, in order."""


MemoryData = PersonaMem | Timelines


def open_memory_data(source: str | Path, split: str) -> MemoryData:
    """Return a split of a dataset or a release, of the family that has splits of that name.

    Raises:
        PersonamemError: there is none, or it cannot be read.
    """
    for family in FAMILIES.values():
        if family.memory:
            opened: Timelines | None = import_module(family.memory).open_split(source, split)
            if opened is not None:
                return opened
    return load_personamem(source, split)


def map_questions(data: MemoryData) -> dict[str, str]:
    """Return the context of each question, by their ids."""
    if isinstance(data, PersonaMem):
        return {question.question_id: question.shared_context_id for question in data.questions}
    return data.map_questions()


def list_steps(data: MemoryData, context_id: str) -> Iterator[Step]:
    """Yield what happens to a memory of one context, in order."""
    if isinstance(data, PersonaMem):
        return list_chat_steps(data, context_id)
    return data.list_steps(context_id)
