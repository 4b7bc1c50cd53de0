"""Contexts of lives: sessions in order, inside the budget, nothing said twice."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from personamem.dataset_builder.core.text.repeats import count_repeated_words
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives import packing
from personamem.dataset_builder.families.personamem.lives.columns import ContextIndex
from personamem.dataset_builder.families.personamem.lives.contexts import build_context
from personamem.dataset_builder.families.personamem.lives.life import Life, make_life
from personamem.dataset_builder.families.personamem.lives.packing import Context
from personamem.dataset_builder.families.personamem.lives.rendering import render_chat
from personamem.dataset_builder.families.personamem.lives.rows import make_row
from personamem.dataset_builder.families.personamem.lives.wording import Quad, word_quad
from personamem.dataset_builder.fillers import Chat
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE, MAX_LENGTH_RATIO, SIZES, Message
from personamem.loaders.formats.tokens import count_tokens

Configure = Callable[..., PersonaMemConfig]


@pytest.fixture(scope="module")
def lives(config: PersonaMemConfig) -> list[Life]:
    return [make_life(config, "32k", 0, persona) for persona in range(COHORT_SIZE)]


@pytest.fixture(scope="module")
def contexts(lives: list[Life]) -> list[Context]:
    return [build_context(life) for life in lives]


@pytest.fixture(scope="module")
def quads(config: PersonaMemConfig, lives: list[Life]) -> list[Quad]:
    return [word_quad(config, lives[0].plan, plan) for plan in lives[0].plan.quads]


def test_a_context_fills_its_budget_and_no_more(contexts: list[Context]) -> None:
    for context in contexts:
        total = sum(count_tokens(message["content"]) for message in context.messages)
        assert total == sum(context.tokens)
        assert 0.85 * SIZES["32k"] <= total <= SIZES["32k"]


def test_sessions_stand_in_order_of_their_dates(contexts: list[Context]) -> None:
    for context in contexts:
        assert list(context.session_dates) == sorted(context.session_dates)
        for start in context.session_starts:
            assert context.messages[start]["role"] == "system"


def test_few_days_have_several_sessions(contexts: list[Context]) -> None:
    for context in contexts:
        days = Counter(context.session_dates)
        assert max(days.values()) <= 4
        assert len(days) > 0.7 * len(context.session_dates)


def test_no_message_is_said_twice(contexts: list[Context]) -> None:
    for context in contexts:
        spoken = [m["content"] for m in context.messages if m["role"] != "system"]
        said = Counter(text for text in spoken if len(text) > 150)
        assert max(said.values()) == 1


def test_few_words_are_said_again(lives: list[Life], contexts: list[Context]) -> None:
    for context in contexts:
        said = tuple(m["content"] for m in context.messages if m["role"] != "system")
        assert count_repeated_words(said) <= 0.03 * sum(context.tokens)
    draft = " ".join(f"word{number}" for number in range(100))
    chats = [
        Chat(key=f"again_{number}", messages=("Write it", draft, "Once more", draft), is_form=False)
        for number in range(50)
    ]
    packer = packing.Packer(lives[0])
    packer.add_everyday(packer.budget, chats)
    repeated = 93 * len(packer.drafts)
    assert 0.01 * packer.budget < repeated < 0.02 * packer.budget


def test_chats_that_have_no_room_are_not_rendered(
    lives: list[Life], monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: list[Chat] = []

    def render(chat: Chat, *others: Any) -> list[Message]:
        rendered.append(chat)
        return render_chat(chat, *others)

    monkeypatch.setattr(packing, "render_chat", render)
    context = build_context(lives[0])
    everyday = context.session_topics.count("")
    assert 0 < len(rendered) <= 2 * everyday


def test_every_mention_stands_in_its_session(lives: list[Life], contexts: list[Context]) -> None:
    for life, context in zip(lives, contexts, strict=True):
        told = [mention for mentions in life.mentions.values() for mention in mentions]
        assert set(context.fact_messages) == {mention.mention_id for mention in told}
        for mention in told:
            session = context.session_of[mention.mention_id]
            assert context.session_dates[session] == mention.day
            for index in context.fact_messages[mention.mention_id]:
                assert context.messages[index]["role"] == "user"


def test_each_option_of_a_quad_is_right_for_one_persona(
    lives: list[Life], contexts: list[Context], quads: list[Quad]
) -> None:
    indices = [ContextIndex(context) for context in contexts]
    for quad in quads:
        rows = [
            make_row(life, quad, index, "c") for life, index in zip(lives, indices, strict=True)
        ]
        assert {row.question.answer_index for row in rows} == set(range(COHORT_SIZE))
        assert len({row.question.options for row in rows}) == 1
        assert len({row.question.user_question_or_message for row in rows}) == 1
        lengths = [len(option) for option in quad.options]
        assert max(lengths) <= MAX_LENGTH_RATIO * min(lengths)


def test_evidence_comes_before_the_question(
    lives: list[Life], contexts: list[Context], quads: list[Quad]
) -> None:
    index = ContextIndex(contexts[1])
    for quad in quads:
        row = make_row(lives[1], quad, index, "c")
        note, end = row.annotation, row.question.end_index_in_shared_context
        assert note.evidence_message_indices
        assert max(note.related_message_indices) < end
        assert set(note.evidence_message_indices) <= set(note.related_message_indices)
        assert note.sessions_per_answer >= 1
        if quad.plan.question_type == schema.ACKNOWLEDGE and note.level == "combined":
            assert note.sessions_per_answer >= 2


def test_near_and_far_questions_differ_in_distance(configure_lives: Configure) -> None:
    found: dict[str, list[int]] = {}
    for distance in ("near", "far"):
        config = configure_lives(distance=distance, personas=4)
        life = make_life(config, "32k", 0, 0)
        index = ContextIndex(build_context(life))
        found[distance] = [
            make_row(
                life, word_quad(config, life.plan, plan), index, "c"
            ).question.end_index_in_shared_context
            for plan in life.plan.quads
        ]
    assert all(near <= far for near, far in zip(found["near"], found["far"], strict=True))
    assert sum(found["near"]) < 0.9 * sum(found["far"])


def test_questions_that_need_more_than_the_budget_are_refused(configure_lives: Configure) -> None:
    config = configure_lives(size="4k", personas=4, questions=80)
    life = make_life(config, "4k", 0, 0)
    with pytest.raises(InvalidInputError, match=r"tokens and the budget is 4,096; accepted: fewer"):
        build_context(life)


def test_a_small_context_ends_each_chat_with_its_first_answer(configure_lives: Configure) -> None:
    life = make_life(configure_lives(size="4k", personas=4, questions=32), "4k", 0, 0)
    context = build_context(life)
    told = [
        len(context.messages[start:end])
        for start, end, topic in zip(
            context.session_starts,
            [*context.session_starts[1:], len(context.messages)],
            context.session_topics,
            strict=True,
        )
        if topic
    ]
    assert set(told) == {3}
