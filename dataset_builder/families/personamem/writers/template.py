"""The embedded writer: deterministic text from templates, without a network or a model.

Each fact becomes an exchange: the user says it, wrapped in everyday detail, and may ask a side
question; the assistant takes note and answers. Wording is dealt from shuffled decks, so within a
context a pattern returns only when all others of its kind were used.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from random import Random
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml, template
from personamem.dataset_builder.core.people import PRONOUNS, Persona, people_tables
from personamem.dataset_builder.core.rng import ShuffleBag
from personamem.dataset_builder.core.text.faults import has_doubled_word
from personamem.dataset_builder.core.text.repeats import LONG_LETTERS, MAX_REPEATED
from personamem.dataset_builder.families.personamem.packs import (
    CONTENT,
    Advice,
    TopicPack,
    load_topic,
)
from personamem.dataset_builder.families.personamem.sessions import SessionPlan, WrittenSession
from personamem.dataset_builder.families.personamem.world.facts import Fact, Relation
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    EVENT_RELATIONS,
    REASON_RELATIONS,
    TRAIT_RELATIONS,
    person_slots,
)
from personamem.loaders.formats.schema import Message

# Looked up: strftime takes a fifth of the time of writing, and follows the locale.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)

_TYPICAL_MESSAGE = 70
"""Tokens of a message."""

_RENDERINGS = 20
"""How often a text is rendered again that doubles a word, or repeats a reply."""

_DAYS_AWAY = {"weekday": range(-6, 0), "date": range(-27, -6), "next_date": range(2, 21)}
_TABLE_OF_SLOT = {"acquaintance": "acquaintances", "town": "towns", "street": "streets"}


class _SceneSlots(dict[str, str]):
    """The values of scene slots in one text, each drawn when the text first names it."""

    def __init__(self, draw: Callable[[str], str]) -> None:
        super().__init__()
        self._draw_value = draw

    def __missing__(self, name: str) -> str:
        value = self[name] = self._draw_value(name)
        return value


@cache
def patterns() -> Mapping[str, Any]:
    """Return content/patterns.yaml: how relations, openings and system messages are worded."""
    loaded: Mapping[str, Any] = read_yaml(CONTENT / "patterns.yaml")
    return loaded


class TemplateWriter:
    """Write all sessions of one context from embedded patterns and topic packs.

    ``budget`` is the size of the context in tokens. It decides how many replies may equal an
    earlier one: notes on traits are worded in few ways, and a small context has no room for
    a repeat.
    """

    def __init__(self, random: Random, budget: int = 0) -> None:
        self._random = random
        self._repeats = int(MAX_REPEATED * budget / _TYPICAL_MESSAGE)
        self._replies: Counter[str] = Counter()
        self._decks: dict[tuple[str, ...], ShuffleBag[Any]] = {}
        self._told: dict[tuple[str, str, date], set[str]] = {}

    def write(self, plan: SessionPlan, detail: int) -> WrittenSession:
        """Write ``plan``; ``detail`` 0 is terse, 1 adds side questions, 2 everyday detail too."""
        messages = [self.write_system(plan.persona, plan.said_on, detail)]
        fact_messages: dict[str, tuple[int, ...]] = {}
        pack = load_topic(plan.topic)
        opening = self._say(("openers",), {"title": pack.title}) + " "
        for fact in plan.facts:
            start = len(messages)
            exchange, marked = self._write_fact(fact, pack, plan.said_on, detail, opening)
            messages.extend(exchange)
            fact_messages[fact.fact_id] = tuple(start + index for index in marked)
            opening = ""
        return WrittenSession(plan.topic, plan.said_on, tuple(messages), fact_messages)

    def start_again(self) -> None:
        """Forget the replies: what was written so far is not used."""
        self._replies.clear()

    def write_system(self, persona: Persona, said_on: date, detail: int) -> Message:
        """Return the system message that opens a session: the date and the static persona."""
        slots = {
            "weekday": _WEEKDAYS[said_on.weekday()],
            "long_date": f"{said_on.day} {_MONTHS[said_on.month - 1]} {said_on.year}",
            "name": persona.name,
            "age": str(persona.age_on(said_on)),
            "town": persona.town,
        }
        stated = [key for key in patterns()["system"]["sentences"] if getattr(persona, key, "")]
        keys = ["sentence", *(self._random.sample(stated, 2) if detail == 0 else stated)]
        self._random.shuffle(keys)
        parts = [self._say(("system", "opening"), slots)]
        for key in keys:
            value = persona.sentence_on(said_on) if key == "sentence" else getattr(persona, key)
            parts.append(self._say(("system", "sentences", key), {**slots, "value": value}))
        return {"role": "system", "content": " ".join(parts)}

    def write_chat(self, topic: str, said_on: date) -> list[Message]:
        """Return one exchange about ``topic`` that reveals nothing about the user's preferences."""
        pack = load_topic(topic)
        advice: Advice = self._deal("advice", topic, pack.advice)
        scene, ask = self._scene(pack, said_on), self._render(advice.ask, said_on)
        aside = self._aside(pack, said_on)
        parts = ((scene, ask), (aside, ask), (scene, aside, ask))[int(self._random.random() * 3)]
        return [
            {"role": "user", "content": " ".join(parts)},
            {"role": "assistant", "content": self._render(advice.answer, said_on)},
        ]

    def has_fresh_chat(self, topic: str) -> bool:
        """Return whether the topic still has a side question that this context has not used."""
        deck = self._decks.get(("advice", topic))
        return deck is None or deck.left > 0

    def _write_fact(
        self, fact: Fact, pack: TopicPack, said_on: date, detail: int, opening: str
    ) -> tuple[list[Message], list[int]]:
        slots = self._fact_slots(fact, pack, said_on)
        messages: list[Message] = []
        scene = f"{self._scene(pack, said_on)} " if detail == 2 else ""
        marked = [0]
        if fact.relation is Relation.DECLINES:
            request = self._say(("relations", fact.relation, "request"), slots)
            messages.append({"role": "user", "content": f"{opening}{scene}{request}"})
            suggestion = self._say(("relations", fact.relation, "suggest"), slots)
            messages.append({"role": "assistant", "content": suggestion})
            opening = scene = ""
            marked = [1, 2]
        user = f"{opening}{scene}{self._say(('relations', fact.relation, 'user'), slots)}"
        if fact.contact:
            slots["who"] = fact.contact.phrase.replace("my ", "your ", 1)
        reply = self._note(fact, slots) if detail else self._note_anew(fact, slots)
        if detail == 2:
            user = f"{user} {self._aside(pack, said_on)}"
        if detail:
            advice: Advice = self._deal("advice", pack.topic, pack.advice)
            user = f"{user} {self._render(advice.ask, said_on)}"
            reply = f"{reply}\n\n{self._render(advice.answer, said_on)}"
        messages.append({"role": "user", "content": user})
        messages.append({"role": "assistant", "content": reply})
        return messages, marked

    def _note(self, fact: Fact, slots: Mapping[str, str]) -> str:
        return self._say(("relations", fact.relation, "ack"), slots)

    def _note_anew(self, fact: Fact, slots: Mapping[str, str]) -> str:
        """Take note in a message of its own, which should equal no earlier one."""
        text = self._note(fact, slots)
        for _ in range(_RENDERINGS):
            if text not in self._replies or self._count_repeats() < self._repeats:
                break
            text = self._note(fact, slots)
        self._replies.update([text] if len(text) > LONG_LETTERS else [])
        return text

    def _count_repeats(self) -> int:
        return self._replies.total() - len(self._replies)

    def _fact_slots(self, fact: Fact, pack: TopicPack, said_on: date) -> dict[str, str]:
        random, people = self._random.random, person_slots(fact)
        slots: dict[str, str] = self._scene_slots(said_on)
        slots |= {"when": fact.when, "title": pack.title}
        if fact.contact:
            slots |= {"who": fact.contact.phrase, **PRONOUNS[fact.contact.sex]}
        if fact.relation in EVENT_RELATIONS:
            slots["past"] = template(fact.value).render(people, random)
        elif fact.relation in TRAIT_RELATIONS:
            shown: str = self._deal("shown", f"{pack.topic} {fact.value}", pack.shown[fact.value])
            slots["base"] = template(shown).render(people, random)
        elif fact.relation in REASON_RELATIONS:
            slots["reason"] = template(fact.value).render(people, random)
        else:
            item = {"item": fact.value}
            use = self._deal("use", pack.topic, pack.uses)
            slots |= item
            slots |= {
                form: template(getattr(use, form)).render(item, random)
                for form in ("base", "past", "ing")
            }
            if fact.reason:
                slots["reason"] = template(fact.reason).render(people, random)
        return slots

    def _scene_slots(self, said_on: date) -> "_SceneSlots":
        return _SceneSlots(lambda name: self._draw_slot(name, said_on))

    def _draw_slot(self, name: str, said_on: date) -> str:
        random = self._random.random
        if name == "month":
            return _MONTHS[said_on.month - 2]
        if name == "clock":
            return f"{int(random() * 14) + 7}:{int(random() * 12) * 5:02d}"
        if name == "count":
            return str(2 + int(random() * 59))
        if name not in _DAYS_AWAY:
            return _pick(people_tables()[_TABLE_OF_SLOT[name]], random)
        # Days are dealt by session: what befell one user in one week befell them on several days.
        days: int = self._deal(name, said_on.isoformat(), _DAYS_AWAY[name])
        day = said_on + timedelta(days=days)
        if name == "weekday":
            return _WEEKDAYS[day.weekday()]
        return f"{day.day} {_MONTHS[day.month - 1]}"

    def _scene(self, pack: TopicPack, said_on: date) -> str:
        return self._render(self._deal_fresh("scenes", pack.topic, said_on, pack.scenes), said_on)

    def _aside(self, pack: TopicPack, said_on: date) -> str:
        return self._render(self._deal_fresh("asides", pack.topic, said_on, pack.asides), said_on)

    def _deal_fresh(self, kind: str, topic: str, said_on: date, texts: Sequence[str]) -> str:
        """Deal a text that the session has not used, if any is left.

        Side chat is added to sessions when all are written, so order of dealing is not of reading.
        """
        told = self._told.setdefault((kind, topic, said_on), set())
        text: str = self._deal(kind, topic, texts)
        while text in told and len(told) < len(texts):
            text = self._deal(kind, topic, texts)
        told.add(text)
        return text

    def _render(self, source: str, said_on: date) -> str:
        def render() -> str:
            return template(source).render(self._scene_slots(said_on), self._random.random)

        return _avoid_doubled_words(render) if "{" in source else render()

    def _say(self, path: tuple[str, ...], slots: Mapping[str, str]) -> str:
        choices: Any = patterns()
        for key in path:
            choices = choices[key]

        def render() -> str:
            source: str = self._deal("patterns", " ".join(path), choices)
            return template(source).render(slots, self._random.random)

        return _avoid_doubled_words(render)

    def _deal(self, kind: str, name: str, items: Any) -> Any:
        deck = self._decks.get((kind, name))
        if deck is None:
            deck = self._decks[(kind, name)] = ShuffleBag(items, self._random)
        return deck.deal()


def _avoid_doubled_words(render: Callable[[], str]) -> str:
    """Return the first of some renderings in which no slot begins with the word before it.

    "...suits you {when} in {item}" does not go with an occasion that ends in "joins in".
    """
    text = render()
    for _ in range(_RENDERINGS):
        if not has_doubled_word(text):
            break
        text = render()
    return text


def _pick(values: Sequence[str], random: Callable[[], float]) -> str:
    return values[int(random() * len(values))]
