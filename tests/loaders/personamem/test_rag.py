"""The retrieval condition: which sessions are found, and that the future is not."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from personamem.loaders import PersonaMem, load_personamem
from personamem.loaders.personamem.rag import SessionRetrieval
from personamem.loaders.retrieval import make_retriever
from personamem.loaders.retrieval.ranking import Candidates


class Recorder:
    """Finds the last of the candidates, and keeps what it was asked."""

    def __init__(self) -> None:
        self.calls: list[tuple[list[str], list[str], Candidates]] = []

    def rank(
        self,
        corpus: Sequence[str],
        queries: Sequence[str],
        k: int,
        candidates: Candidates | None = None,
    ) -> list[tuple[int, ...]]:
        assert candidates is not None
        self.calls.append((list(corpus), list(queries), candidates))
        return [tuple(found[-1:]) for found in candidates]


@pytest.fixture
def data(ours: Path) -> PersonaMem:
    return load_personamem(ours, "4k")


def test_a_context_is_indexed_once_for_all_of_its_questions(data: PersonaMem) -> None:
    recorder = Recorder()
    retrieval = SessionRetrieval(data, recorder, 1)
    for question in data.ordered_questions():
        retrieval.messages_for(question)
    assert len(recorder.calls) == len(data.context_ids)
    corpus, queries, candidates = recorder.calls[0]
    asked = [q for q in data.questions if q.shared_context_id == data.context_ids[0]]
    assert queries == [question.user_question_or_message for question in asked]
    # Three questions end at messages 3, 10 and 6; the sessions start at messages 0 and 6.
    assert [question.end_index_in_shared_context for question in asked] == [3, 10, 6]
    texts = [corpus[number] for number in candidates[1]]
    assert candidates[2] == candidates[1][:1]
    assert candidates[0] != candidates[2]
    assert not any("Persona" in text for text in corpus)
    assert "A tart" not in corpus[candidates[0][0]]
    assert "jar of jam" in texts[0]
    assert "bridge wood" in texts[1]


def test_what_is_shown_ends_at_the_end_index(data: PersonaMem) -> None:
    retrieval = SessionRetrieval(data, Recorder(), 1)
    for question in data.questions:
        seen = data.messages_for(question)
        start = 6 if question.end_index_in_shared_context > 6 else 0
        assert retrieval.find_sessions(question) == (int(start > 0),)
        assert retrieval.messages_for(question) == seen[start:]


def test_real_retrievers_find_sessions_in_the_order_of_time(data: PersonaMem) -> None:
    question = next(q for q in data.questions if q.end_index_in_shared_context == 10)
    for k, sessions in ((1, 1), (9, 2)):
        retrieval = SessionRetrieval(data, make_retriever("bm25"), k)
        assert len(retrieval.find_sessions(question)) == sessions
    assert retrieval.messages_for(question) == data.messages_for(question)
