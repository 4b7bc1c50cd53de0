"""A need and its content: eight choices, and the texts in which each of them shows.

A need is a decision that comes back in a life, such as how somebody gets dinner on a weekday. A
choice is one of eight ways to meet it. An artefact is a whole text that a user brings to an
assistant because of a task, and that only somebody with this choice would bring. README.md beside
the content says how to write one.
"""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import Strict, read_content
from personamem.loaders.formats.schema import TOPICS

CONTENT = Path(__file__).parent / "content"

NUM_CHOICES = 8
NUM_OCCASIONS = 3

Scenario = Literal[
    "private_email",
    "professional_email",
    "creative_writing",
    "professional_writing",
    "chat_message",
    "translation",
    "trouble",
    "post",
    "knowledge",
]

Trait = Literal[
    "by_hand",
    "outsourced",
    "reused",
    "newest",
    "local",
    "online",
    "planned",
    "spontaneous",
    "together",
    "alone",
    "frugal",
    "splurge",
    "expert",
    "research",
    "routine",
    "variety",
    "quiet",
    "physical",
    "remote_free",
    "tech",
]
"""Leanings that choices of several needs share, so that one can be carried over to another need."""

Text = Annotated[str, Field(min_length=1)]


class FollowUp(Strict):
    """One more message of a conversation: exactly one of the two."""

    user: Text | None = None
    assistant: Text | None = None

    @model_validator(mode="after")
    def _one_speaker(self) -> Self:
        if (self.user is None) == (self.assistant is None):
            raise ValueError("a follow-up is a message of the user or of the assistant")
        return self


class Exchange(Strict):
    """What the user types, what they paste with it, and what the assistant answers."""

    ask: Text
    text: Text | None = None
    assistant: Text
    then: tuple[FollowUp, ...] = ()

    def say(self) -> str:
        """Return what the user types and pastes before the first answer."""
        return f"{self.ask}\n{self.text}" if self.text else self.ask

    def list_opening(self) -> list[str]:
        """Return the texts up to the first answer: they show what the exchange is to show."""
        return [self.ask, *([self.text] if self.text else []), self.assistant]

    def list_texts(self) -> list[str]:
        """Return all texts, in order."""
        return self.list_opening() + [
            message.user or message.assistant or "" for message in self.then
        ]


class Artefact(Exchange):
    """An exchange of a kind; ``scenario`` is one of those of PersonaMem-v2."""

    scenario: Scenario


class Ending(Artefact):
    """An artefact in which it shows that a choice is over; ``reason`` says why, in other words."""

    reason: Annotated[str, Field(pattern=r"^because ")]


class Condition(Artefact):
    """An artefact in which a choice holds on one occasion, ``only``, and on no other."""

    only: Text


class Statements(Strict):
    """Exchanges in which a sentence states the choice, for each stance."""

    now: Exchange
    past: Exchange
    other: Exchange
    declined: Exchange


class Choice(Strict):
    """One way to meet the need.

    ``name`` completes "This person ...", ``phrase`` fits "You went from ... to ...". ``terms`` are
    all words and phrases that name the choice. In ``others`` and ``others_named`` the user brings
    an errand of their own that concerns somebody who has the choice; in ``others_ended`` somebody
    who had it, and for whom it ended as in the ending of the same number.
    """

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    name: Text
    phrase: Annotated[str, Field(min_length=1, alias="np")]
    terms: Annotated[tuple[Text, ...], Field(min_length=1)]
    artefacts: Annotated[tuple[Artefact, ...], Field(min_length=6)]
    named: Annotated[tuple[Artefact, ...], Field(min_length=2)]
    stated: Statements
    others: Annotated[tuple[Artefact, ...], Field(min_length=2)]
    others_named: Annotated[tuple[Artefact, ...], Field(min_length=2)]
    others_ended: Annotated[tuple[Artefact, ...], Field(min_length=2)]
    endings: Annotated[tuple[Ending, ...], Field(min_length=2)]
    refusals: Annotated[tuple[Artefact, ...], Field(min_length=2)]
    condition: Annotated[tuple[Condition, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _endings_agree(self) -> Self:
        if len(self.others_ended) != len(self.endings):
            raise ValueError(
                f"others_ended: {len(self.others_ended)} texts; accepted: {len(self.endings)}, one "
                "for each ending"
            )
        return self

    def list_texts_of(self, group: str) -> tuple["Exchange", ...]:
        """Return the exchanges of a group: artefacts, named, others, others_named,
        others_ended, endings, refusals, condition, or one of ``stated``, such as "stated.now".
        """
        if group.startswith("stated."):
            exchange: Exchange = getattr(self.stated, group.removeprefix("stated."))
            return (exchange,)
        exchanges: tuple[Exchange, ...] = getattr(self, group)
        return exchanges

    def list_exchanges(self) -> list["Exchange"]:
        """Return everything that tells of the choice, whatever the level and the stance."""
        stated = self.stated
        return [
            *(artefact for _, artefact in self.list_implied()),
            *self.named,
            *self.others_named,
            *(stated.now, stated.past, stated.other, stated.declined),
        ]

    def list_implied(self) -> list[tuple[str, Artefact]]:
        """Return the artefacts that imply the choice without naming it, each with its place."""
        groups: tuple[tuple[str, tuple[Artefact, ...]], ...] = (
            ("artefacts", self.artefacts),
            ("others", self.others),
            ("others_ended", self.others_ended),
            ("endings", self.endings),
            ("refusals", self.refusals),
            ("condition", self.condition),
        )
        return [
            (f"{self.key}.{name}.{number}", artefact)
            for name, group in groups
            for number, artefact in enumerate(group)
        ]


class Occasion(Strict):
    """A question whose answer depends on the choice, with a reply for each choice by its key."""

    ask: Text
    replies: dict[str, Text]


class Need(Strict):
    """The content of one need.

    ``about`` completes "Tell me ..." of somebody else ("how this person gets dinner"), ``mine`` of
    oneself ("how I get dinner"); ``matter`` is what the user calls it ("my dinners").
    """

    topic: Literal[TOPICS]  # type: ignore[valid-type]
    need: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    about: Text
    mine: Text
    matter: Text
    choices: Annotated[tuple[Choice, ...], Field(min_length=NUM_CHOICES, max_length=NUM_CHOICES)]
    pointers: Annotated[tuple[Exchange, ...], Field(min_length=3)]
    occasions: Annotated[tuple[Occasion, ...], Field(min_length=NUM_OCCASIONS)]

    @model_validator(mode="after")
    def _keys_agree(self) -> Self:
        keys = [choice.key for choice in self.choices]
        if len(set(keys)) < len(keys):
            raise ValueError(f"two choices have the same key: {', '.join(keys)}")
        for number, occasion in enumerate(self.occasions):
            differing = set(occasion.replies) ^ set(keys)
            if differing:
                raise ValueError(
                    f"occasions.{number}: replies are missing or unknown for "
                    f"{', '.join(sorted(differing))}"
                )
        return self

    def find_choice(self, key: str) -> Choice:
        """Return the choice ``key``."""
        return next(choice for choice in self.choices if choice.key == key)


def load_need(path: Path) -> Need:
    """Read the file of a need. Raises InvalidInputError that names the file and the entry."""
    return read_content(path, "need", Need)


def list_needs() -> list[Path]:
    """Return the files of all needs, by topic and name."""
    return sorted(CONTENT.glob("*/*.yaml"))
