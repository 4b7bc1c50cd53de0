"""What memories are run over: contexts of chats, or archives of private documents.

``list_steps`` tells what happens to a memory of one of them, in the order of time.
"""

from collections.abc import Iterator
from pathlib import Path

from personamem.loaders.memory.chats import list_chat_steps
from personamem.loaders.memory.documents import PrivateDocuments
from personamem.loaders.memory.steps import Step
from personamem.loaders.personabench.benchmark import load_personabench
from personamem.loaders.personabench.schema import NOISE_SPLITS
from personamem.loaders.personamem.dataset import PersonaMem, load_personamem

MemoryData = PersonaMem | PrivateDocuments


def open_memory_data(source: str | Path, split: str) -> MemoryData:
    """Return a split of a dataset or a release: a size of contexts, or a noise level of documents.

    Raises:
        PersonamemError: see ``load_personamem`` and ``load_personabench``.
    """
    if split in NOISE_SPLITS:
        return PrivateDocuments(load_personabench(source), split)
    return load_personamem(source, split)


def map_questions(data: MemoryData) -> dict[str, str]:
    """Return the context of each question, by their ids."""
    if isinstance(data, PrivateDocuments):
        return data.map_questions()
    return {question.question_id: question.shared_context_id for question in data.questions}


def list_steps(data: MemoryData, context_id: str) -> Iterator[Step]:
    """Yield what happens to a memory of one context, in order."""
    if isinstance(data, PrivateDocuments):
        return data.list_steps(context_id)
    return list_chat_steps(data, context_id)
