"""How exchanges become messages: where chats stop, and what stands around drafts."""

from datetime import date
from random import Random

import pytest

from personamem.dataset_builder.core.people import draw_persona
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.rendering import (
    _introduce,
    render_chat,
    wrappers,
)
from personamem.dataset_builder.families.personamem.lives.voices import make_speaker
from personamem.dataset_builder.fillers import Chat

DRAFT = '"Hi Tom, could you bring the ladder back on Sunday? Thank you!"'


def test_some_users_do_not_come_back() -> None:
    speaker = make_speaker(draw_persona(1, 2), make_rng(1, "voice", 2))
    chat = Chat(key="sink", messages=("it drips", "Tighten it.", "still", "Change the ring."))
    random = Random(2)
    lengths = [len(render_chat(chat, date(2024, 5, 1), speaker, random)) for _ in range(200)]
    assert set(lengths) == {2, 4}
    assert 30 < lengths.count(2) < 90


def test_a_real_chat_stays_whole() -> None:
    speaker = make_speaker(draw_persona(1, 2), make_rng(1, "voice", 2))
    chat = Chat(key="real", messages=("a", "b", "c", "d"), is_form=False)
    random = Random(2)
    assert all(len(render_chat(chat, date(2024, 5, 1), speaker, random)) == 4 for _ in range(50))


@pytest.mark.parametrize(("reply", "is_draft"), [(DRAFT, True), ('"Schw." is short.', False)])
def test_a_line_stands_before_drafts_alone(reply: str, is_draft: bool) -> None:
    made = {_introduce(reply, True, Random(seed)) for seed in range(60)}
    assert any(lead in text for lead in wrappers()["drafts"] for text in made) == is_draft
    assert all(reply in text for text in made)
