"""Rendering: the messages of a mention, from the texts of the bank."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from random import Random

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.bank import get_need
from personamem.dataset_builder.families.personamem.lives.events import list_events
from personamem.dataset_builder.families.personamem.lives.mentions import (
    EVENT,
    Mention,
    Source,
    Stance,
)
from personamem.dataset_builder.families.personamem.lives.need import CONTENT, Exchange
from personamem.dataset_builder.families.personamem.lives.slots import SlotFiller, write_date
from personamem.dataset_builder.families.personamem.lives.voices import Speaker, speak
from personamem.dataset_builder.fillers import Chat
from personamem.loaders.formats.schema import Message

_REQUEST_LETTERS, _WRAPPER_LETTERS = 420, 180
_LEAD, _OFFER = 0.25, 0.06
"""How often an assistant puts a line before a draft, and how often it offers more after it."""

_DRAFT = re.compile(r'"[^"]{40}')
"""How a draft begins, and not a word that is explained."""

_TOLD = ("stated", "others")
"""Groups whose texts the user words, of whomever they are; others' are pasted."""

_STOPS = 0.3
"""How often a user does not come back with what a chat would have ended on."""

_PASSED_ON = 0.1
"""How often a user says that somebody else's answer is passed on."""


@cache
def wrappers() -> Mapping[str, Sequence[str]]:
    """Return content/wrappers.yaml."""
    loaded: Mapping[str, Sequence[str]] = read_yaml(CONTENT / "wrappers.yaml")
    return loaded


def find_exchange(source: Source) -> Exchange:
    """Return a text of the bank."""
    if source.group.startswith(EVENT):
        return list_events()[source.group.removeprefix(EVENT)].texts[source.number]
    need = get_need(source.need_id)
    if source.group == "pointers":
        return need.pointers[source.number]
    return need.find_choice(source.choice).list_texts_of(source.group)[source.number]


def count_letters(mention: Mention) -> int:
    """Return about how many letters the messages of a mention have."""
    if mention.stance is Stance.FORGET:
        return _REQUEST_LETTERS
    exchange = find_exchange(mention.source)
    letters = _REQUEST_LETTERS if mention.private is not None else _WRAPPER_LETTERS
    texts = exchange.list_opening() if mention.brief else exchange.list_texts()
    return letters + sum(map(len, texts))


@lru_cache(maxsize=2048)
def render_mention(seed: int, mention: Mention, speaker: Speaker) -> tuple[Message, ...]:
    """Return the messages of a mention, the user's first; the same arguments give the same ones.

    Those of a context are kept: what builds it and what checks it ask for the same ones.
    """
    return tuple(_render(seed, mention, speaker))


def _render(seed: int, mention: Mention, speaker: Speaker) -> list[Message]:
    persona_id = speaker.persona.persona_id
    random = make_rng(seed, "render", mention.mention_id, persona_id, mention.day)
    if mention.stance is Stance.FORGET:
        return _render_request(mention, speaker, random)
    exchange = find_exchange(mention.source)
    filler = SlotFiller(
        speaker.persona.country,
        mention.day,
        random,
        mention.contact,
        texts=exchange.list_texts(),
    )
    is_foreign = mention.stance in (Stance.OTHERS, Stance.OTHERS_ENDED)
    wrapped = is_foreign and not mention.source.group.startswith(_TOLD)
    ask = filler.fill(exchange.ask)
    if wrapped:
        wrapper = filler.fill(_choose_wrapper(seed, mention, persona_id))
        ask = f"{speak(wrapper, speaker)}\n\n{ask}"
    else:
        ask = speak(ask, speaker)
    if exchange.text:
        ask = f"{ask}\n\n{filler.fill(exchange.text)}"
    then = () if mention.brief else exchange.then[: _cut_short(len(exchange.then), random)]
    reply = filler.answer(exchange.assistant).strip()
    messages: list[Message] = [
        {"role": "user", "content": ask.strip()},
        {"role": "assistant", "content": _introduce(reply, bool(then), random)},
    ]
    if wrapped:  # Follow-ups of the bank are the user's own.
        if random.random() < _PASSED_ON:
            thanks = filler.fill(random.choice(wrappers()["passed_on"]))
            reply = filler.fill(random.choice(wrappers()["passed_on_reply"]))
            messages.append({"role": "user", "content": speak(thanks, speaker)})
            messages.append({"role": "assistant", "content": reply})
        return messages
    for message in then:
        if message.user:
            messages.append({"role": "user", "content": speak(filler.fill(message.user), speaker)})
        else:
            reply = filler.answer(message.assistant or "")
            messages.append({"role": "assistant", "content": reply})
    if messages[-1]["role"] == "user":
        messages.pop()
    if mention.private is not None:
        # By number, since a context has several and says nothing twice.
        remarks = wrappers()["private"]
        remark = remarks[mention.private % len(remarks)]
        messages.append({"role": "user", "content": speak(remark, speaker)})
        reply = random.choice(wrappers()["private_reply"])
        messages.append({"role": "assistant", "content": reply})
    return messages


def _choose_wrapper(seed: int, mention: Mention, persona_id: int) -> str:
    """Return how somebody else's errand is brought: few are brought alike in one life."""
    forms = wrappers()["errands"]
    order = make_rng(seed, "wrappers", persona_id).sample(range(len(forms)), len(forms))
    number = sum(map(int, re.findall(r"\d+", mention.mention_id)[-2:]))
    return forms[order[number % len(forms)]]


def _introduce(reply: str, goes_on: bool, random: Random) -> str:
    """Return an answer with what assistants put around a draft; else as it is."""
    if not _DRAFT.match(reply):
        return reply
    lead = random.choice(wrappers()["drafts"]) if random.random() < _LEAD else ""
    is_last = not goes_on and reply.endswith('"') and random.random() < _OFFER
    offer = random.choice(wrappers()["offers"]) if is_last else ""
    return "\n\n".join(part for part in (lead, reply, offer) if part)


def _cut_short(messages: int, random: Random) -> int:
    """Return how many of the messages after the first answer there are: some just stop there."""
    return messages - 2 if messages and random.random() < _STOPS else messages


def render_chat(chat: Chat, day: date, speaker: Speaker, random: Random) -> list[Message]:
    """Return the messages of an everyday chat, or of a real one as it is.

    Where a message has several lines, some may be code or a table, so that they stay as they are.
    """
    filler = SlotFiller(speaker.persona.country, day, random, at_work=True, texts=chat.messages)
    messages: list[Message] = []
    end = 2 + _cut_short(len(chat.messages) - 2, random) if chat.is_form else None
    for number, form in enumerate(chat.messages[:end]):
        fill = filler.answer if number % 2 else filler.fill
        text = fill(form).strip() if chat.is_form else form
        if number % 2:
            messages.append({"role": "assistant", "content": text})
        else:
            is_typed = chat.is_form and "\n" not in text
            messages.append({"role": "user", "content": speak(text, speaker) if is_typed else text})
    return messages


def _render_request(mention: Mention, speaker: Speaker, random: Random) -> list[Message]:
    assert mention.refers_to is not None
    words = {"date": write_date(mention.refers_to), "matter": get_need(mention.need_id).matter}
    ask = random.choice(wrappers()["forget"]).format(**words)
    return [
        {"role": "user", "content": speak(ask, speaker)},
        {"role": "assistant", "content": random.choice(wrappers()["forgotten"])},
    ]
