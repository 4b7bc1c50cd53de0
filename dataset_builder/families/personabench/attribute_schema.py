"""The parts of an attribute pack: in what words an attribute is asked for and comes up."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Self, TypeVar

from pydantic import Field, model_validator

from personamem.dataset_builder.core.content_yaml import Strict, check_slots, require_slots
from personamem.dataset_builder.families.personabench.wording import check_always, check_indirect

CONTENT = Path(__file__).parent / "content"

PRONOUNS = ("they", "them", "their")
"""Of ``{other}`` where a thread has one, else of ``{acquaintance}``: "she", "her", "her"."""

SCENE = ("weekday", "date", "clock", "count", "acquaintance", "town", "street", *PRONOUNS)

Value = Annotated[str, Field(min_length=2, max_length=48), check_slots()]
OwnQuestion = Annotated[str, Field(min_length=10, max_length=120), check_slots()]
OtherQuestion = Annotated[str, Field(min_length=10, max_length=120), check_slots("who", "whose")]
Message = Annotated[str, Field(pattern=r"^(me|you|ai): \S", min_length=5)]
Messages = Annotated[tuple[Message, ...], Field(min_length=2, max_length=16)]
"""Messages as they are written: "me: ..." and "you: ...", or "ai: ..." for an assistant.

``me`` is the person who has the value, ``you`` the other one.
"""


class Keyed(Strict):
    """Something worded for some keys of a ``named`` attribute only; without ``keys`` for all."""

    keys: tuple[str, ...] = ()


Hinting = TypeVar("Hinting", bound=Keyed)


def pick_fitting(hints: Sequence[Hinting], key: str) -> list[Hinting]:
    """Return the hints that are worded for ``key``."""
    return [hint for hint in hints if not hint.keys or key in hint.keys]


class Thread(Keyed):
    """Messages between two people on one occasion."""

    SLOTS: ClassVar[tuple[str, ...]] = ()
    """Slots beside those of a scene."""

    TOLD: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """What the thread tells: slots that stand together in one message, and the first in no other.

    What is told of ``me`` alone is told by ``me``, but of what is dropped they may be reminded.
    """

    messages: Messages

    @model_validator(mode="after")
    def _check_messages(self) -> Self:
        others = {message.split(":")[0] for message in self.messages} - {"me"}
        if others not in ({"you"}, {"ai"}):
            raise ValueError("messages: accepted are those of me and you, or of me and ai")
        if others == {"ai"} and not _are_by_turns(self.messages):
            raise ValueError("messages: me and ai in turn, ai last")
        for message in self.messages:
            require_slots(message, frozenset((*self.SLOTS, *SCENE)))
            check_indirect(message)
        for slots in self.TOLD:
            self._check_told(*slots)
        return self

    def _check_told(self, slot: str, *others: str) -> None:
        told = [message for message in self.messages if f"{slot}}}" in message]
        if len(told) != 1:
            raise ValueError(f"{len(told)} messages hold {{{slot}}}; accepted: one")
        for each in (slot, *others):
            check_always("messages", told[0], each)
        if slot != "old" and not others and not told[0].startswith("me:"):
            raise ValueError(f"{told[0]!r}: what is told of 'me' is told by 'me'")

    @property
    def is_of_other(self) -> bool:
        """Whether pronouns are those of ``{other}``."""
        return any("{other}" in message for message in self.messages)

    def list_told(self) -> tuple[int, ...]:
        """Return the numbers of the messages that tell it; the first answer where nothing is."""
        firsts = [slots[0] for slots in self.TOLD]
        found = (
            number
            for number, message in enumerate(self.messages)
            if any(f"{slot}}}" in message for slot in firsts)
        )
        return tuple(found) or (1,)


def _are_by_turns(messages: Sequence[str]) -> bool:
    return len(messages) % 2 == 0 and all(
        message.startswith(("me:", "ai:")[number % 2]) for number, message in enumerate(messages)
    )


class Hint(Thread):
    """A thread in which the person gives a value away, to somebody or to an assistant."""

    SLOTS = ("value", "key")
    TOLD = (("value",),)


class PurchaseHint(Keyed):
    """Something bought that gives the value away."""

    title: Annotated[str, Field(min_length=8, max_length=110), check_slots("value", "key")]
    description: Annotated[str, Field(min_length=40), check_slots("value", "key")]
    brand: Annotated[str, Field(min_length=2, max_length=40), check_slots()]
    categories: tuple[Annotated[str, Field(min_length=2), check_slots()], ...] = Field(
        min_length=2, max_length=4
    )


class Update(Thread):
    """A thread in which it comes up that ``{old}`` was dropped and ``{value}`` taken up."""

    SLOTS = ("old", "value")
    TOLD = (("value",), ("old",))

    @property
    def is_told_by_one(self) -> bool:
        """Whether nobody reminds the person of what is dropped."""
        return all(self.messages[number].startswith("me:") for number in self.list_told())

    @model_validator(mode="after")
    def _come_to_it(self) -> Self:
        first, last = self.list_told()[0], self.list_told()[-1]
        if "old}" not in self.messages[first] or "value}" not in self.messages[last]:
            raise ValueError("messages: {old} comes up before {value}, or with it")
        return self


class Talk(Thread):
    """A thread on the theme that gives no value away."""


class OthersTalk(Thread):
    """A thread about a value that ``{other}`` has, whom nobody asks about."""

    SLOTS = ("other", "value", "key")
    TOLD = (("value", "other"),)


class Goods(Strict):
    """Something bought on the theme that gives no value away."""

    title: Annotated[str, Field(min_length=8, max_length=110), check_slots()]
    description: Annotated[str, Field(min_length=40), check_slots()]
    brand: Annotated[str, Field(min_length=2, max_length=40), check_slots()]
    categories: tuple[Annotated[str, Field(min_length=2), check_slots()], ...] = Field(
        min_length=2, max_length=4
    )


class Noise(Strict):
    """The theme in sessions that reveal nothing asked for."""

    talk: tuple[Talk, ...] = Field(min_length=6)
    others: tuple[OthersTalk, ...] = Field(min_length=5)
    chat: tuple[Talk, ...] = Field(min_length=5)
    purchase: tuple[Goods, ...] = ()


class Questions(Strict):
    """Paraphrases: of oneself, and of somebody else with ``{who}`` or ``{whose}``."""

    first: tuple[OwnQuestion, ...] = Field(min_length=3, max_length=5)
    third: tuple[OtherQuestion, ...] = Field(min_length=3, max_length=5)
