"""The parts of an attribute pack: in what words an attribute is asked for and comes up."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field

from personamem.dataset_builder.core.content_yaml import Strict, check_slots
from personamem.dataset_builder.families.personabench.wording import check_indirect

CONTENT = Path(__file__).parent / "content"

SCENE = ("weekday", "date", "clock", "count", "acquaintance", "town", "street")

Value = Annotated[str, Field(min_length=2, max_length=48), check_slots()]
OwnQuestion = Annotated[str, Field(min_length=10, max_length=120), check_slots()]
OtherQuestion = Annotated[str, Field(min_length=10, max_length=120), check_slots("who", "whose")]
Said = Annotated[str, Field(min_length=25), check_slots("value", "key", *SCENE)]
Around = Annotated[str, Field(min_length=8), check_slots(*SCENE)]
Answered = Annotated[str, Field(min_length=40), check_slots(*SCENE)]
Changed = Annotated[str, Field(min_length=40), check_slots("old", "value", *SCENE)]
OthersAround = Annotated[str, Field(min_length=8), check_slots("other", "key", *SCENE)]
OthersSaid = Annotated[str, Field(min_length=25), check_slots("other", "value", "key", *SCENE)]


class Keyed(Strict):
    """Something worded for some keys of a ``named`` attribute only; without ``keys`` for all."""

    keys: tuple[str, ...] = ()


Hinting = TypeVar("Hinting", bound=Keyed)


def pick_fitting(hints: Sequence[Hinting], key: str) -> list[Hinting]:
    """Return the hints that are worded for ``key``."""
    return [hint for hint in hints if not hint.keys or key in hint.keys]


class Hint(Keyed):
    """A stretch of a conversation: the partner leads, the person says it, the partner replies."""

    lead: Around
    say: Annotated[Said, AfterValidator(check_indirect)]
    reply: Around


class ChatHint(Keyed):
    """A message to the assistant that gives the value away, and the answer to it."""

    say: Annotated[Said, AfterValidator(check_indirect)]
    reply: Answered


class PurchaseHint(Keyed):
    """Something bought that gives the value away."""

    title: Annotated[str, Field(min_length=8, max_length=110), check_slots("value", "key")]
    description: Annotated[str, Field(min_length=40), check_slots("value", "key")]
    brand: Annotated[str, Field(min_length=2, max_length=40), check_slots()]
    categories: tuple[Annotated[str, Field(min_length=2), check_slots()], ...] = Field(
        min_length=2, max_length=4
    )


class Update(Strict):
    """A stretch of a conversation in which the person drops ``{old}`` and takes up ``{value}``."""

    lead: Around
    say: Annotated[Changed, AfterValidator(check_indirect)]
    reply: Around


class Talk(Strict):
    """A stretch of a conversation on the theme that gives no value away."""

    lead: Around
    say: Annotated[str, Field(min_length=25), check_slots(*SCENE)]
    reply: Around


class OthersTalk(Keyed):
    """A stretch of a conversation about a value that ``{other}`` has, whom nobody asks about."""

    lead: OthersAround
    say: OthersSaid
    reply: OthersAround


class ChatTalk(Strict):
    """A message to the assistant on the theme that gives no value away, and the answer."""

    say: Annotated[str, Field(min_length=25), check_slots(*SCENE)]
    reply: Answered


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

    talk: tuple[Talk, ...] = Field(min_length=4)
    others: tuple[OthersTalk, ...] = Field(min_length=3)
    chat: tuple[ChatTalk, ...] = Field(min_length=3)
    purchase: tuple[Goods, ...] = ()


class Questions(Strict):
    """Paraphrases: of oneself, and of somebody else with ``{who}`` or ``{whose}``."""

    first: tuple[OwnQuestion, ...] = Field(min_length=3, max_length=5)
    third: tuple[OtherQuestion, ...] = Field(min_length=3, max_length=5)
