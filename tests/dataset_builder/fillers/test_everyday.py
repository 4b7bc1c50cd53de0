"""Everyday chats: well formed, none twice, and silent about their user."""

import re
from collections import Counter
from pathlib import Path

import pytest

from personamem.dataset_builder.core.content_yaml import read_content
from personamem.dataset_builder.fillers.everyday import Area, Chat, list_everyday_chats
from personamem.loaders.formats.errors import InvalidInputError

SLOTS = {
    *("first_name", "other_name", "weekday", "month", "last_month", "next_month"),
    *("day", "time", "street", "price", "number"),
}


def test_no_chat_comes_twice() -> None:
    chats = list_everyday_chats()
    assert len(chats) >= 200
    assert max(Counter(chat.key for chat in chats).values()) == 1
    assert max(Counter(chat.messages[0].lower() for chat in chats).values()) == 1


def test_slots_are_known() -> None:
    for chat in list_everyday_chats():
        for text in chat.messages:
            assert {name for name, _ in re.findall(r"\{([^}:]*)(:\d+)?\}", text)} <= SLOTS
            assert not re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", text))


def test_a_chat_ends_with_an_answer() -> None:
    with pytest.raises(ValueError, match="open_end: the last message has to be the assistant's"):
        Chat(key="open_end", messages=("Hello?", "Yes?", "Never mind."))


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sums.yaml"
    path.write_text("area: sums\nchats:\n- key: Wrong Key\n  messages: [a, b]\n")
    with pytest.raises(InvalidInputError, match=r"sums\.yaml: chats\.0\.key"):
        read_content(path, "chats", Area)
