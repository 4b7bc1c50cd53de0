"""The retrieval condition: only the sessions that a retriever finds for a question.

A chunk is a session of the context, without its system messages: those repeat who the user is and
would make all sessions alike. A question may find the sessions before its end index; one that the
end index cuts is there up to it. A context is indexed once for all of its questions, so BM25 counts
how rare a word is over the whole of it; what comes after the end index is never found or shown.
"""

from collections.abc import Sequence

from personamem.loaders.formats.schema import Message, Question
from personamem.loaders.personamem.dataset import PersonaMem
from personamem.loaders.personamem.oracle import select_sessions
from personamem.loaders.retrieval import Retriever


class SessionRetrieval:
    """Retrieves ``k`` sessions for each question of a split, a context at a time."""

    def __init__(self, data: PersonaMem, retriever: Retriever, k: int) -> None:
        """Keep the parts; contexts are indexed when one of their questions is asked for."""
        self._data = data
        self._retriever = retriever
        self._k = k
        self._found: dict[str, tuple[int, ...]] = {}
        self._questions: dict[str, list[Question]] = {}
        for question in data.questions:
            self._questions.setdefault(question.shared_context_id, []).append(question)

    def find_sessions(self, question: Question) -> tuple[int, ...]:
        """Return the numbers of the sessions found in the question's context, best first."""
        if question.question_id not in self._found:
            asked = self._questions[question.shared_context_id]
            self._found.update(self._rank(question.shared_context_id, asked))
        return self._found[question.question_id]

    def messages_for(self, question: Question) -> list[Message]:
        """Return the messages of the sessions found, in the order of time."""
        starts = self._data.session_starts(question.shared_context_id)
        indices = [starts[session] for session in self.find_sessions(question)]
        return select_sessions(self._data.messages_for(question), starts, indices)

    def _rank(
        self, shared_context_id: str, questions: Sequence[Question]
    ) -> dict[str, tuple[int, ...]]:
        messages = self._data.context(shared_context_id)
        starts = self._data.session_starts(shared_context_id)
        chunks: dict[tuple[int, int], int] = {}
        seen = []
        for question in questions:
            bounds = _bound_sessions(starts, question.end_index_in_shared_context)
            seen.append([chunks.setdefault(each, len(chunks)) for each in bounds])
        texts = [_join_texts(messages[start:end]) for start, end in chunks]
        queries = [question.user_question_or_message for question in questions]
        sessions = {start: number for number, start in enumerate(starts)}
        numbers = [sessions[start] for start, _ in chunks]
        ranked = self._retriever.rank(texts, queries, self._k, seen)
        return {
            question.question_id: tuple(numbers[chunk] for chunk in found)
            for question, found in zip(questions, ranked, strict=True)
        }


def _bound_sessions(starts: Sequence[int], end: int) -> list[tuple[int, int]]:
    """Return first and last message (exclusive) of the sessions that begin before ``end``."""
    begun = [start for start in starts if start < end]
    return list(zip(begun, [*begun[1:], end], strict=True))


def _join_texts(messages: Sequence[Message]) -> str:
    return "\n".join(each["content"] for each in messages if each["role"] != "system")
