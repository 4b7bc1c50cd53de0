"""The prompt of an open question."""

from dataclasses import replace
from pathlib import Path

import pytest
from tiny_communities import ADA, write_communities

from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.prompts import (
    INSTRUCTION,
    make_open_messages,
    make_open_turn,
    render_documents,
)
from personamem.loaders.personabench.records import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return load_personabench(write_communities(tmp_path)).archives(0.5)[0]


def test_documents_stand_in_the_order_of_time_whatever_order_they_come_in(archive: Archive) -> None:
    text = render_documents(ADA, archive.sessions)
    assert text == render_documents(ADA, archive.sessions[::-1])
    days = [int(line[9:11]) for line in text.splitlines() if line.startswith("2024/Oct/")]
    assert days == list(range(14, 26))
    assert text.startswith(f"I am {ADA}. ")
    assert "\n\nConversation of Ada Winter with Cleo Marsh\n2024/Oct/16/07:05 PM\nAda Win" in text
    assert "\n\nPurchases of Ada Winter\n2024/Oct/19/07:05 PM\nCello strings for Cleo (Orm" in text
    chat = replace(archive.sessions[0], kind="user_ai_interaction", partner=None)
    assert "Chat of Ada Winter with an assistant\n" in render_documents(ADA, [chat])


def test_documents_come_first_and_the_question_last(archive: Archive) -> None:
    question = archive.questions[0].question
    documents = render_documents(ADA, archive.sessions)
    (message,) = make_open_messages(documents, question)
    turn = make_open_turn(question)
    assert message == {"role": "user", "content": f"{documents}\n\n{turn}"}
    assert turn == f"I am {ADA}. {INSTRUCTION}\n\nQuestion: Where do I work?"
    assert make_open_messages("", question) == [{"role": "user", "content": turn}]
    assert render_documents(ADA, []) == ""
