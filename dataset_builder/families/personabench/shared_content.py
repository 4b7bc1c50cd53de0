"""What communities need beside attribute packs: content/communities.yaml, validated on load."""

from datetime import date
from functools import cache
from typing import Annotated

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import Strict, check_slots, read_content
from personamem.dataset_builder.families.personabench.attribute_schema import (
    CONTENT,
    SCENE,
    Around,
    Goods,
    Talk,
)
from personamem.dataset_builder.families.personabench.wording import check_always

FILE = CONTENT / "communities.yaml"

Name = Annotated[str, Field(min_length=4), check_slots()]
Line = Annotated[str, Field(min_length=4), check_slots(*SCENE)]
AboutRelation = Annotated[str, check_slots("relation", "name", *SCENE)]
AboutEvent = Annotated[str, check_slots("event", "event_date", *SCENE)]
Description = Annotated[str, check_slots("company", "town")]
NameQuestion = Annotated[str, check_slots("name")]
RelationQuestion = Annotated[str, check_slots("relation")]


class RelationHint(Strict):
    """A stretch of a conversation in which a relation comes up."""

    lead: Around
    say: AboutRelation
    reply: Around


class RelationChat(Strict):
    """A message to the assistant in which a relation comes up, and the answer."""

    say: AboutRelation
    reply: AboutRelation


class Relations(Strict):
    """How relations are described, revealed and asked for."""

    description: dict[str, Description]
    conversation: tuple[RelationHint, ...] = Field(min_length=4)
    chat: tuple[RelationChat, ...] = Field(min_length=3)
    name_questions: tuple[NameQuestion, ...] = Field(min_length=3)
    relation_questions: tuple[RelationQuestion, ...] = Field(min_length=3)

    @model_validator(mode="after")
    def _tell_who_and_what(self) -> "Relations":
        for section in ("conversation", "chat"):
            for number, hint in enumerate(getattr(self, section)):
                for slot in ("relation", "name"):
                    check_always(f"{section}.{number}", hint.say, slot)
        return self


class Event(Strict):
    """A public event; ``name`` as it stands within a sentence."""

    date: date
    name: Name


class EventTalkPart(Strict):
    """A stretch of a conversation about an event."""

    lead: AboutEvent
    say: AboutEvent
    reply: Around


class EventTalk(Strict):
    """Talk about an event to come, and about one that is past."""

    before: tuple[EventTalkPart, ...] = Field(min_length=3)
    after: tuple[EventTalkPart, ...] = Field(min_length=3)


class Frame(Strict):
    """What opens or closes a conversation: a line of the user and what the partner answers."""

    user: Line
    partner: Line


class CommunityContent(Strict):
    """The whole file. ``degree`` and ``vocational`` are the two ways to have learned something."""

    companies: tuple[Name, ...] = Field(min_length=20)
    workplaces: tuple[Name, ...] = Field(min_length=20)
    nationalities: dict[str, Name]
    subjects: dict[str, tuple[Name, ...]]
    school_types: dict[str, tuple[Name, ...]]
    schools: dict[str, tuple[Name, ...]]
    relations: Relations
    openers: tuple[Frame, ...] = Field(min_length=8)
    closings: tuple[Frame, ...] = Field(min_length=8)
    chat_thanks: tuple[Line, ...] = Field(min_length=4)
    talk: tuple[Talk, ...] = Field(min_length=12)
    events: tuple[Event, ...] = Field(min_length=12)
    event_talk: EventTalk
    goods: tuple[Goods, ...] = Field(min_length=12)


@cache
def load_content() -> CommunityContent:
    """Return the embedded content. Raises InvalidInputError naming file, entry and rule."""
    return read_content(FILE, "Content of communities", CommunityContent)
