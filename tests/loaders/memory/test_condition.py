"""The memory condition: prompts hold what a memory found, and nothing else of the context."""

from collections.abc import Sequence

import pytest

from personamem.loaders import PersonaMem
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory import condition
from personamem.loaders.memory.condition import (
    MemoryRecall,
    MemorySettings,
    read_memory_settings,
)
from personamem.loaders.memory.controls import FullMemory, NoMemory
from personamem.loaders.memory.protocol import DatedMessage, Memory

pytestmark = pytest.mark.system


def test_the_prompt_holds_what_was_found_within_the_budget(data: PersonaMem) -> None:
    recall = MemoryRecall(data, MemorySettings("oracle", 700))
    for question in data.ordered_questions()[:8]:
        (message,) = recall.messages_for(question)
        annotation = data.evidence_for(question)
        assert annotation is not None
        seen = data.messages_for(question)
        texts = [seen[index]["content"] for index in annotation.evidence_message_indices]
        assert message["role"] == "system"
        assert any(text in message["content"] for text in texts)
        assert count_tokens(message["content"]) < 700 + 40


def test_a_context_is_added_once_for_all_of_its_questions(
    data: PersonaMem, monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[tuple[str, str]] = []

    class Counting(FullMemory):
        def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
            added.append((user, session_id))
            super().add(user, session_id, messages)

    monkeypatch.setattr(condition, "make_system", lambda name, data: Counting())
    recall = MemoryRecall(data, MemorySettings("counting", 500))
    for question in data.questions:
        recall.messages_for(question)
    assert len(set(added)) == len(added)


def test_a_search_that_fails_shows_nothing_and_is_named(
    data: PersonaMem, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(NoMemory):
        def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
            raise RuntimeError("index lost")

    monkeypatch.setattr(condition, "make_system", lambda name, data: Failing())
    recall = MemoryRecall(data, MemorySettings("failing", 500))
    question = data.questions[0]
    (message,) = recall.messages_for(question)
    assert message["content"].startswith("Nothing that is kept")
    assert "index lost" in recall.failures[question.question_id]


def test_settings_come_from_the_metadata() -> None:
    assert read_memory_settings({}) == MemorySettings("bm25", 2_000)
    found = read_memory_settings({"memory": "cmd:python m.py", "budget": "500"})
    assert found == MemorySettings("cmd:python m.py", 500)
    with pytest.raises(InvalidInputError, match=r"budget 'much'\. Accepted: a whole number"):
        read_memory_settings({"budget": "much"})
