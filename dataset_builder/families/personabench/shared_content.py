"""What communities need beside attribute packs: content/communities.yaml, validated on load."""

from datetime import date
from functools import cache
from typing import Annotated

from pydantic import Field

from personamem.dataset_builder.core.content_yaml import Strict, check_slots, read_content
from personamem.dataset_builder.families.personabench.attribute_schema import (
    CONTENT,
    Goods,
    Talk,
    Thread,
)

FILE = CONTENT / "communities.yaml"

Name = Annotated[str, Field(min_length=4), check_slots()]
Description = Annotated[str, check_slots("company", "town")]
NameQuestion = Annotated[str, check_slots("name")]
RelationQuestion = Annotated[str, check_slots("relation")]


class RelationHint(Thread):
    """A thread in which it comes up what somebody is to the person, by name."""

    SLOTS = ("relation", "name")
    TOLD = (("relation",), ("name",))


class Relations(Strict):
    """How relations are described, revealed and asked for."""

    description: dict[str, Description]
    conversation: tuple[RelationHint, ...] = Field(min_length=4)
    chat: tuple[RelationHint, ...] = Field(min_length=3)
    name_questions: tuple[NameQuestion, ...] = Field(min_length=3)
    relation_questions: tuple[RelationQuestion, ...] = Field(min_length=3)


class Event(Strict):
    """A public event; ``name`` as it stands within a sentence."""

    date: date
    name: Name


class EventThread(Thread):
    """A thread about an event, which one of the two names."""

    SLOTS = ("event", "event_date")

    def list_told(self) -> tuple[int, ...]:
        """Return the number of the message that names the event."""
        return (next((n for n, text in enumerate(self.messages) if "event}" in text), 1),)


class EventTalk(Strict):
    """Talk about an event to come, and about one that is past."""

    before: tuple[EventThread, ...] = Field(min_length=3)
    after: tuple[EventThread, ...] = Field(min_length=3)


class CommunityContent(Strict):
    """The whole file.

    ``degree`` and ``vocational`` are the two ways to have learned something.
    """

    companies: tuple[Name, ...] = Field(min_length=20)
    workplaces: tuple[Name, ...] = Field(min_length=20)
    nationalities: dict[str, Name]
    subjects: dict[str, tuple[Name, ...]]
    school_types: dict[str, tuple[Name, ...]]
    schools: dict[str, tuple[Name, ...]]
    relations: Relations
    talk: tuple[Talk, ...] = Field(min_length=12)
    events: tuple[Event, ...] = Field(min_length=12)
    event_talk: EventTalk
    goods: tuple[Goods, ...] = Field(min_length=12)


@cache
def load_content() -> CommunityContent:
    """Return the embedded content. Raises InvalidInputError naming file, entry and rule."""
    return read_content(FILE, "Content of communities", CommunityContent)
