"""What a question of the second release is asked over: the conditions of its tasks."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from personamem.loaders.formats.schema import Message, Question
from personamem.loaders.personamem.version2.histories import PART_MESSAGES
from personamem.loaders.personamem.version2_dataset import PersonaMemV2
from personamem.loaders.retrieval import Retriever

OVERLAP_MESSAGES = 2
DEFAULT_K = 10
"""Chunks that are retrieved, of ``PART_MESSAGES``; all three as in the release's RAG baseline."""

Select = Callable[[Question], list[Message]]


class ChunkRetrieval:
    """Retrieves chunks of a history for its questions; a history is indexed once.

    A chunk has six messages, two of which the next has too. Those found are shown in the order of
    the history, each message once.
    """

    def __init__(self, version2: PersonaMemV2, retriever: Retriever, k: int) -> None:
        """Keep the parts; histories are indexed when one of their questions is asked for."""
        self._version2, self._retriever, self._k = version2, retriever, k
        self._found: dict[str, tuple[int, ...]] = {}

    def find_messages(self, question: Question) -> tuple[int, ...]:
        """Return the indices of the messages found, ascending."""
        if question.question_id not in self._found:
            self._search(question.shared_context_id)
        return self._found[question.question_id]

    def messages_for(self, question: Question) -> list[Message]:
        """Return the messages found."""
        messages = self._version2.data.context(question.shared_context_id)
        return [messages[index] for index in self.find_messages(question)]

    def _search(self, link: str) -> None:
        data = self._version2.data
        messages, questions = data.context(link), data.questions_of(link)
        chunks = list_chunks([i for i, each in enumerate(messages) if each["role"] != "system"])
        texts = ["\n".join(messages[index]["content"] for index in chunk) for chunk in chunks]
        queries = [question.user_question_or_message for question in questions]
        for question, found in zip(
            questions, self._retriever.rank(texts, queries, self._k), strict=True
        ):
            indices = {*chain.from_iterable(chunks[number] for number in found)}
            self._found[question.question_id] = tuple(sorted(indices))


def list_chunks(indices: Sequence[int]) -> list[Sequence[int]]:
    """Return message indices in chunks that overlap; the last may be shorter."""
    step = PART_MESSAGES - OVERLAP_MESSAGES
    last = max(len(indices) - OVERLAP_MESSAGES, 1)
    return [indices[start : start + PART_MESSAGES] for start in range(0, last, step)]


def show_snippet(version2: PersonaMemV2, question: Question) -> list[Message]:
    """Return the messages that reveal what a question is about: the oracle condition."""
    return list(version2.row_of(question).snippet)


def with_default_k(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of a retrieval with the release's number of chunks unless told."""
    return {"k": DEFAULT_K, **metadata}
