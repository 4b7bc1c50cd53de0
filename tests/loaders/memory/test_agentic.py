"""Agentic memory: one text a user, within its tokens, written by a model that sees no question."""

from pathlib import Path

import pytest
from replaying_server import read_text, serve_replies
from transformers_server import serve_model

from personamem.loaders import PersonaMem
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory.agentic import (
    CHUNK_TOKENS,
    AgenticMemory,
    ChatModel,
    cut_text,
    split_text,
)
from personamem.loaders.memory.contract import make_session
from personamem.loaders.memory.protocol import MOST_REWRITTEN
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.systems import MemoryFactory, Models

pytestmark = pytest.mark.system


def run(data: PersonaMem, name: str, url: str, budget: int) -> tuple[list[str], int]:
    """Return the texts that a system's searches brought in two contexts, and its sessions."""
    with MemoryFactory(name, data, Models("writer", url)) as factory:
        runs = run_memory(data, factory, [budget], contexts=data.context_ids[:2])
    assert not [failure for run in runs for failure in run.failures]
    found = [memory.text for run in runs for search in run.searches for memory in search.found]
    return found, sum(run.adds for run in runs)


def test_the_writer_sees_a_session_at_a_time_and_no_question(data: PersonaMem) -> None:
    with serve_replies(lambda text: "The user has " + "many " * 3_000 + "things.") as (url, bodies):
        found, sessions = run(data, "agentic", url, 4_000)
    assert len(bodies) == sessions
    assert {count_tokens(text) <= MOST_REWRITTEN for text in found} == {True}
    prompts = [read_text(body) for body in bodies]
    for context_id in data.context_ids[:2]:
        for question in data.questions_of(context_id):
            assert not any(question.user_question_or_message in prompt for prompt in prompts)
            assert not any(option in prompt for prompt in prompts for option in question.options)
    assert all(count_tokens(prompt) < MOST_REWRITTEN + 1_500 for prompt in prompts)


def test_as_released_the_reader_of_the_history_sees_the_question(data: PersonaMem) -> None:
    with serve_replies(lambda text: "notes") as (url, bodies):
        found, _ = run(data, "agentic-as-released", url, 100)
    questions = [q for context_id in data.context_ids[:2] for q in data.questions_of(context_id)]
    assert len(found) == len(questions)
    assert len(bodies) >= len(questions)
    for question in questions:
        assert any(question.user_question_or_message in read_text(body) for body in bodies)


def test_an_empty_reply_leaves_the_text_and_states_can_be_saved(tmp_path: Path) -> None:
    replies = iter(["The user has a heron.", "  "])
    with serve_replies(lambda text: next(replies)) as (url, _):
        memory = AgenticMemory(ChatModel(url, "m"))
        for number in range(2):
            memory.add("user-ann", f"s{number}", make_session("user-ann", number))
        memory.save(tmp_path)
        other = AgenticMemory(ChatModel(url, "m"))
        other.load(tmp_path)
    assert [m.text for m in other.search("user-ann", "?", "2024-06-01", 50)] == [
        "The user has a heron."
    ]
    other.reset("user-ann")
    assert other.search("user-ann", "?", "2024-06-01", 50) == []


def test_texts_are_cut_at_lines_and_else_at_words() -> None:
    assert cut_text("one two\nthree four\nfive six", 5) == "one two\nthree four"
    assert cut_text("one two three four", 2) == "one two"
    assert cut_text("whatever", 0) == ""
    text = "\n".join([f"line {number} of a long chat" for number in range(3_000)] + ["x " * 9_000])
    parts = split_text(text, CHUNK_TOKENS)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert max(map(count_tokens, parts)) <= CHUNK_TOKENS


@pytest.mark.model
def test_a_real_model_writes_behind_a_real_server(short_model_dir: Path, tmp_path: Path) -> None:
    # Two layers write no sense: this shows that requests are understood and replies are kept.
    with serve_model(short_model_dir, tmp_path / "server.log") as url:
        memory = AgenticMemory(ChatModel(url, short_model_dir.name, most_tokens=24))
        for number in range(2):
            memory.add("user-ann", f"s{number}", make_session("user-ann", number))
        (found,) = memory.search("user-ann", "Which model?", "2024-06-01", 500)
    assert 0 < count_tokens(found.text) <= MOST_REWRITTEN
