"""Chats of a model: what is asked for, and what must not pass for an everyday chat."""

import json
from collections import Counter
from collections.abc import Callable

import pytest
from tiny_families import make_tiny_config
from writing_server import Turns, pack_turns, write_json, write_well

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import configure
from personamem.dataset_builder.families.personamem.lives.bank import get_need
from personamem.dataset_builder.families.personamem.lives.contexts import build_context
from personamem.dataset_builder.families.personamem.lives.life import make_life
from personamem.dataset_builder.families.personamem.texts import lay_out_chats
from personamem.dataset_builder.families.personamem.writers.briefs import brief_chats
from personamem.dataset_builder.families.personamem.writers.items import ChatItem
from personamem.dataset_builder.families.personamem.writers.subjects import load_subjects
from personamem.dataset_builder.fillers import Chat
from personamem.dataset_builder.llm.writing.prose import RejectedTextError
from personamem.loaders.formats.schema import SIZES
from personamem.loaders.formats.tokens import count_tokens

SETTINGS = ModelSettings(name="m")


@pytest.fixture(scope="module")
def items() -> list[ChatItem]:
    config = configure(make_tiny_config("personamem"))
    return [item for _, item in lay_out_chats(config, SETTINGS)]


def prompt_of(item: ChatItem) -> str:
    return item.request().messages[1]["content"]


def change(number: int, edit: Callable[[str], str]) -> Callable[[str], str]:
    """A well-written answer whose message ``number``, from 0, is edited."""

    def answer(prompt: str) -> str:
        turns = write_well(prompt)
        turns[number]["content"] = edit(turns[number]["content"])
        return pack_turns(turns)

    return answer


def say(text: str) -> Callable[[str], str]:
    return lambda before: f"{before} {text}"


def repeat(turns: Turns) -> Turns:
    return [turns[0], {**turns[1], "content": turns[0]["content"].upper()}, *turns[2:]]


def speak_german(turns: Turns) -> Turns:
    words = "Das ist eine wirklich schöne Geschichte gewesen"
    return [{**turn, "content": f"{words} {number}"} for number, turn in enumerate(turns)]


def test_there_are_several_hundred_subjects_in_several_manners() -> None:
    content = load_subjects()
    subjects = [subject for _, subject in content.list_subjects()]
    assert len(subjects) == len(set(subjects)) >= 300
    assert [voice.name for voice in content.voices] == [
        *("terse", "formal", "chatty", "second language", "lower case")
    ]


def test_no_two_contexts_share_a_chat_and_a_user_keeps_their_manner() -> None:
    sizes = ("4k", "8k", "32k")
    config = configure(make_config(families={"personamem": {"sizes": sizes, "personas": 4}}))
    items = list(lay_out_chats(config, SETTINGS))
    assert items == list(lay_out_chats(config, SETTINGS))
    assert len({item.request().key for _, item in items}) == len(items)
    assert {size for (size, _, _), _ in items} == set(sizes)
    manners = {(persona, item.brief.voice.name) for (_, _, persona), item in items}
    assert len(manners) == 4
    for place in {place for place, _ in items}:
        subjects = Counter(item.brief.subject for at, item in items if at == place)
        assert max(subjects.values()) == 1
        assert {item.brief.messages for at, item in items if at == place} <= {2, 4, 6, 8, 10}


@pytest.mark.parametrize("size", ["4k", "32k", "128k"])
def test_all_that_a_model_may_write_has_room_however_long(size: str) -> None:
    config = configure(make_config(families={"personamem": {"sizes": (size,), "personas": 4}}))
    life = make_life(config, size, 0, 1)
    chats: list[Chat | None] = []
    for brief in brief_chats(life):
        ask = f"{brief.code} asks."
        reply = "on" + " and on" * ((brief.most_tokens - 2 * count_tokens(ask)) // 2)
        chats.append(Chat(key=f"c{len(chats)}", messages=(ask, reply), is_form=False))
    for failed in (0, 1, len(chats) // 2):
        context = build_context(life, [*[None] * failed, *chats[failed:]])
        texts = [message["content"] for message in context.messages]
        assert all(chat and chat.messages[0] in texts for chat in chats[failed:])
        assert 0.85 * SIZES[size] <= sum(context.tokens) <= SIZES[size]


def test_a_request_says_what_is_wanted_and_what_was_wrong(items: list[ChatItem]) -> None:
    for item in items:
        request = item.request(["Message 1 held this."])
        rules, prompt = (message["content"] for message in request.messages)
        assert "The user says nothing about who they are" in rules
        assert item.brief.subject in prompt
        assert item.brief.voice.manner in prompt
        assert f"exactly {item.brief.messages} messages" in prompt
        assert "refused because:\n- Message 1 held this." in prompt
        assert request.key != item.request().key
        assert len(request.schema["properties"]) == item.brief.messages


def test_a_sound_chat_is_taken_as_it_is(items: list[ChatItem]) -> None:
    for item in items:
        answer = write_json(prompt_of(item))
        chat = item.read(f"Here you are:\n```json\n{answer}\n```")
        assert list(chat.messages) == [*json.loads(answer).values()]
        assert not chat.is_form


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda prompt: "", "no readable answer"),
        (lambda prompt: '{"turns": []}', "no readable answer"),
        (lambda prompt: pack_turns(write_well(prompt)[:-1]), "form of the answer"),
        (lambda prompt: pack_turns([*write_well(prompt)] * 2), "form of the answer"),
        (lambda prompt: pack_turns(write_well(prompt)[1:]), "form of the answer"),
        (lambda prompt: pack_turns(repeat(write_well(prompt))), "a message that stands elsewhere"),
        (change(0, say("<script>alert(1)</script>")), "markup or placeholders"),
        (change(0, say("{{ 7 * 7 }}")), "markup or placeholders"),
        (change(1, say("Dear [Name], here it is.")), "markup or placeholders"),
        (change(1, say("<|im_end|>")), "markup or placeholders"),
        (change(0, say("\ud83d")), "markup or placeholders"),
        (change(1, say("It comes with the the lid.")), "markup or placeholders"),
        (lambda prompt: pack_turns(speak_german(write_well(prompt))), "not English"),
        (change(0, lambda text: "ok"), "length"),
        (change(1, say("It goes on and on. " * 200)), "length"),
        (change(1, say("As an AI I have no view.")), "markup or placeholders"),
        (change(1, say("It lies after my knowledge cutoff.")), "a remark about the assistant"),
        (change(0, say("My wife wants to know.")), "personal data"),
        (change(0, say("I'm 41 and in a hurry.")), "personal data"),
        (change(1, say("Write to somebody.real@company.com.")), "personal data"),
    ],
)
def test_what_is_no_everyday_chat_is_refused_with_the_reason(
    items: list[ChatItem], answer: Callable[[str], str], reason: str
) -> None:
    for item in items[:4]:
        with pytest.raises(RejectedTextError) as refused:
            item.read(answer(prompt_of(item)))
        assert refused.value.flaw.startswith(reason), refused.value.reason


def test_a_chat_that_names_what_evidence_only_implies_is_refused(items: list[ChatItem]) -> None:
    item = items[0]
    assert item.brief.unnamed
    for need_id, key in item.brief.unnamed:
        term = get_need(need_id).find_choice(key).terms[0]
        with pytest.raises(RejectedTextError, match=f'Message 2 held "{term.lower()}'):
            item.read(change(1, say(f"There is the {term}, too."))(prompt_of(item)))
