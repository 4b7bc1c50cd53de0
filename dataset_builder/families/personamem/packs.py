"""Topic packs: the content of a topic as one validated YAML file (see content/README.md).

A pack holds what people say about a topic and nothing of how a benchmark is made from it, so a new
topic is a new file. Every rule a pack must keep is checked on load, and a broken pack is one error
that names the file, the entry and what is accepted.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import Strict, check_slots, read_content
from personamem.dataset_builder.core.grammar import expand_all, parse
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice

CONTENT = Path(__file__).parent / "content"

TRAITS = (
    "quiet",
    "company",
    "thrifty",
    "planner",
    "spontaneous",
    "hands_on",
    "outdoors",
    "numbers",
)

PERSON_SLOTS = frozenset({"I", "me", "my", "myself"})
SCENE_SLOTS = frozenset(
    {"weekday", "date", "next_date", "month", "clock", "count", "acquaintance", "town", "street"}
)
_FORBIDDEN = re.compile(
    r"\b(wife|husband|spouse|daughter|son|my kids?|my child(ren)?|my boss|my job|my employer|"
    r"my office|my dog|my cat|church|mosque)\b",
    re.IGNORECASE,
)


Plain = Annotated[str, Field(min_length=1), check_slots()]
Scene = Annotated[str, Field(min_length=20), check_slots(*SCENE_SLOTS)]
PersonText = Annotated[str, Field(min_length=8), check_slots(*PERSON_SLOTS)]
ItemText = Annotated[str, Field(min_length=6), check_slots("item")]


class Use(Strict):
    """One way to have a candidate in one's life, as verb phrases around ``{item}``."""

    base: ItemText
    past: ItemText
    ing: ItemText


class Occasion(Strict):
    """A recurring situation in which a preference lives; it names the preference in a question."""

    when: Plain
    ask: tuple[Plain, ...] = Field(min_length=3)
    plan: tuple[Plain, ...] = Field(min_length=2)


class Item(Strict):
    """A candidate preference, with two concrete recommendations that name it."""

    name: Annotated[str, Field(min_length=4, max_length=30)]
    picks: tuple[Annotated[str, Field(min_length=40, max_length=78)], ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _picks_name_the_item(self) -> "Item":
        for pick in self.picks:
            if self.name.lower() not in pick.lower():
                raise ValueError(f"pick {pick!r} does not contain the name {self.name!r}")
        return self


class Group(Strict):
    """Candidates that resemble each other; a question never takes two of one group."""

    name: str
    items: tuple[Item, ...] = Field(min_length=3)


class EventKind(Strict):
    """Events of one kind, as past verb phrases ("lost a shoe"), and how to ask for one."""

    kind: str
    ask: tuple[Plain, ...] = Field(min_length=3)
    members: tuple[Annotated[PersonText, Field(max_length=75)], ...] = Field(min_length=5)


class Scenario(Strict):
    """A situation new to the user, and for each trait the advice that suits its bearer."""

    ask: tuple[Plain, ...] = Field(min_length=2)
    advice: dict[str, Annotated[str, Field(min_length=115, max_length=143)]]

    @model_validator(mode="after")
    def _covers_all_traits(self) -> "Scenario":
        if set(self.advice) != set(TRAITS):
            raise ValueError(f"advice needs exactly the traits {', '.join(TRAITS)}")
        return self


class Advice(Strict):
    """A user's side question and the assistant's answer, true whatever the user prefers."""

    ask: Scene
    answer: Annotated[Scene, Field(min_length=120)]


class TopicPack(Strict):
    """The content of one topic."""

    topic: str
    title: Plain
    uses: tuple[Use, ...] = Field(min_length=5)
    occasions: tuple[Occasion, ...] = Field(min_length=10)
    groups: tuple[Group, ...] = Field(min_length=6)
    events: tuple[EventKind, ...] = Field(min_length=4)
    reasons: tuple[Annotated[PersonText, Field(max_length=85)], ...] = Field(min_length=24)
    shown: dict[str, tuple[PersonText, ...]]
    scenarios: tuple[Scenario, ...] = Field(min_length=3)
    scenes: tuple[Scene, ...] = Field(min_length=36)
    asides: tuple[Scene, ...] = Field(min_length=24)
    advice: tuple[Advice, ...] = Field(min_length=40)

    def items(self) -> Iterator[Item]:
        """Yield every candidate of every group."""
        for group in self.groups:
            yield from group.items

    @model_validator(mode="after")
    def _check_whole(self) -> "TopicPack":
        if set(self.shown) != set(TRAITS) or any(len(v) < 3 for v in self.shown.values()):
            raise ValueError(f"'shown' needs at least 3 entries for each of {', '.join(TRAITS)}")
        if sum(1 for _ in self.items()) < 32:
            raise ValueError("at least 32 items are needed over all groups")
        for use in self.uses:
            for form in (use.base, use.past, use.ing):
                for text in expand_all(parse(form)):
                    if text.count("{item}") != 1:
                        raise ValueError(f"use {text!r} must name {{item}} exactly once")
        _check_names(self)
        _check_neutral(self)
        return self


def _check_names(pack: TopicPack) -> None:
    names = [item.name.lower() for item in pack.items()]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"item names must be unique; twice: {', '.join(twice)}")
    for item in pack.items():
        texts = [item.name.lower(), *(pick.lower() for pick in item.picks)]
        for other in names:
            if other != item.name.lower() and any(other in text for text in texts):
                raise ValueError(f"item {item.name!r} or a pick of it contains the item {other!r}")
    # Searching for a pattern of all names is slow, and only needed to say where one is.
    whole = "\n".join(text for _, text in texts_outside_items(pack)).lower()
    if any(name in whole for name in names):
        pattern = re.compile("|".join(re.escape(name) for name in names), re.IGNORECASE)
        for where, text in texts_outside_items(pack):
            found = pattern.search(text)
            if found:
                raise ValueError(f"{where} names the item {found[0]!r}: {text!r}")


def _check_neutral(pack: TopicPack) -> None:
    for where, text in texts_outside_items(pack):
        found = _FORBIDDEN.search(text)
        if found:
            raise ValueError(f"{where} fixes something about the persona ({found[0]!r}): {text!r}")
    for kind in pack.events:
        for event in kind.members:
            if re.match(r"(was|were|has|have|am|is|are)\b", event):
                raise ValueError(f"an event needs a past tense that fits every person: {event!r}")
    for reason in pack.reasons:
        if re.search(r"\{I\} (was|were|am|is|are|has|have|do|does)\b", reason):
            raise ValueError(f"after {{I}} use a past tense that fits every person: {reason!r}")


def texts_outside_items(pack: TopicPack) -> Iterator[tuple[str, str]]:
    """Yield (section, template source) for every text of a pack that is not an item or a use."""
    for occasion in pack.occasions:
        for text in (occasion.when, *occasion.ask, *occasion.plan):
            yield "occasions", text
    for kind in pack.events:
        for text in (*kind.ask, *kind.members):
            yield f"events {kind.kind!r}", text
    for reason in pack.reasons:
        yield "reasons", reason
    for trait, shown in pack.shown.items():
        for text in shown:
            yield f"shown {trait!r}", text
    for scenario in pack.scenarios:
        for text in (*scenario.ask, *scenario.advice.values()):
            yield "scenarios", text
    for text in pack.scenes:
        yield "scenes", text
    for text in pack.asides:
        yield "asides", text
    for entry in pack.advice:
        yield "advice", entry.ask
        yield "advice", entry.answer


def load_pack(path: Path) -> TopicPack:
    """Read and validate one pack. Raises InvalidInputError naming file, entry and rule."""
    pack = read_content(path, "Topic pack", TopicPack)
    if pack.topic != path.stem:
        raise InvalidInputError(
            f"Topic pack {path}: topic is {pack.topic!r}; accepted: {path.stem!r}, as the file."
        )
    return pack


@cache
def topic_names() -> tuple[str, ...]:
    """Return the names of all embedded topics, in alphabetical order. A topic is a file."""
    return tuple(sorted(path.stem for path in (CONTENT / "topics").glob("*.yaml")))


@cache
def load_topic(topic: str) -> TopicPack:
    """Return the embedded pack of ``topic``. Raises InvalidInputError for an unknown topic."""
    if topic not in topic_names():
        raise unknown_choice("topic", topic, topic_names())
    return load_pack(CONTENT / "topics" / f"{topic}.yaml")
