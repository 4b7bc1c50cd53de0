"""The lexicon: a chat that names a choice is found, whatever the form of the word."""

from collections.abc import Callable

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.contexts import build_context
from personamem.dataset_builder.families.personamem.lives.lexicon import find_named
from personamem.dataset_builder.families.personamem.lives.life import make_life
from personamem.dataset_builder.fillers import Chat

CLOTHES = ("onlineShopping", "clothes")


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("two tailors in one street", "tailor"),
        ("It was Made to measure.", "tailor"),
        ("he makes it made-to-measure", "tailor"),
        ("my seamstress's needle", "sew"),
    ],
)
def test_a_named_choice_is_found(text: str, choice: str) -> None:
    assert (CLOTHES, choice) in find_named(Chat(key="c", messages=("Hello", text)))


def test_part_of_a_word_names_nothing() -> None:
    chat = Chat(key="c", messages=("retailoring and sewers", "made to wait"))
    assert {choice for choice in find_named(chat) if choice[0] == CLOTHES} == set()


def test_no_everyday_chat_names_a_candidate_whose_evidence_is_implied(
    configure_lives: Callable[..., PersonaMemConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = configure_lives(personas=4, levels=("implied",))
    life = make_life(config, "32k", 0, 0)
    need_id, key = sorted(life.plan.unnamed)[0]
    from personamem.dataset_builder.families.personamem.lives import contexts
    from personamem.dataset_builder.families.personamem.lives.bank import get_need

    term = get_need(need_id).find_choice(key).terms[0]
    chats = [
        Chat(key=f"c{i}", messages=(f"What of {term}, {i}?", "Nothing " * 40)) for i in range(50)
    ]
    monkeypatch.setattr(contexts, "list_everyday_chats", lambda: tuple(chats))
    messages = build_context(life).messages
    assert not any(m["content"].startswith("What of") for m in messages)
