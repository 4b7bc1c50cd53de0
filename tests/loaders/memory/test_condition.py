"""The memory condition: prompts hold what a memory found, and nothing else of the context."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from memories import Making, Recorder

from personamem.loaders import PersonaMem
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory import condition
from personamem.loaders.memory.condition import (
    MemoryRecall,
    MemorySettings,
    read_memory_settings,
)
from personamem.loaders.memory.controls import NoMemory
from personamem.loaders.memory.protocol import Memory
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.systems import MemoryFactory, Models

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
    recall.close()


def test_only_the_units_that_are_asked_for_are_run_and_each_once(
    data: PersonaMem, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorders: list[Recorder] = []

    def make() -> Recorder:
        recorders.append(Recorder())
        return recorders[-1]

    monkeypatch.setattr(condition, "MemoryFactory", lambda *arguments: Making(make))
    recall = MemoryRecall(data, MemorySettings("recording", 500))
    questions = data.questions_of(data.context_ids[0])
    for question in (*questions, *questions):
        recall.messages_for(question)
    assert len(recorders) == 1
    for question in data.questions:
        recall.messages_for(question)
    assert len(recorders) == len(data.context_ids) / 2
    recall.close()


def test_a_search_that_fails_shows_nothing_and_is_named(
    data: PersonaMem, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Failing(NoMemory):
        def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
            raise RuntimeError("index lost")

    monkeypatch.setattr(condition, "MemoryFactory", lambda *arguments: Making(Failing))
    recall = MemoryRecall(data, MemorySettings("failing", 500))
    question = data.questions[0]
    (message,) = recall.messages_for(question)
    assert message["content"].startswith("Nothing that is kept")
    assert "index lost" in recall.failures[question.question_id]
    recall.close()


def test_a_run_that_is_kept_serves_any_budget_of_it(data: PersonaMem, tmp_path: Path) -> None:
    run_memory(data, MemoryFactory("bm25", data), [300, 900], folder=tmp_path / "bm25")
    settings = MemorySettings("bm25", 300, str(tmp_path / "bm25"))
    kept, fresh = MemoryRecall(data, settings), MemoryRecall(data, MemorySettings("bm25", 300))
    for question in data.ordered_questions()[:4]:
        assert kept.messages_for(question) == fresh.messages_for(question)
    kept.close()
    fresh.close()
    with pytest.raises(InvalidInputError, match=r"holds a run with budgets \[300, 900\]"):
        MemoryRecall(data, MemorySettings("bm25", 500, str(tmp_path / "bm25")))


def test_settings_come_from_the_metadata() -> None:
    assert read_memory_settings({}) == MemorySettings("bm25", 2_000)
    found = read_memory_settings({"memory": "cmd:python m.py", "budget": "500"})
    assert found == MemorySettings("cmd:python m.py", 500)
    options = {"llm": "m", "llm_server": "http://localhost/v1"}
    found = read_memory_settings(
        {"memory": "agentic", "memory_folder": "kept", "memory_options": options}
    )
    assert found == MemorySettings("agentic", 2_000, "kept", Models(**options))
    with pytest.raises(InvalidInputError, match=r"memory_options 'x'\. Accepted: an object"):
        read_memory_settings({"memory_options": "x"})
    with pytest.raises(InvalidInputError, match=r"budget 'much'\. Accepted: a whole number"):
        read_memory_settings({"budget": "much"})
