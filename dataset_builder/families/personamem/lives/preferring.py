"""Preferring: of several texts that show the same, those that readers found most real.

Readers who look for a choice hardly mind what strangers do, who see nothing but the chats of
somebody's log; so strangers have rated the bank as well. Their ratings stand in
content/strangers.json, by a hash of what the user types: a text that is changed has none.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from types import MappingProxyType

from personamem.dataset_builder.core.content_yaml import read_json
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    rate_realism,
)
from personamem.dataset_builder.families.personamem.lives.need import CONTENT, Exchange
from personamem.dataset_builder.families.personamem.lives.tongues import names_tongue

SPREAD = 0.8
"""By how much of ten the order of texts may differ from what readers found real."""

_UNREAD = 7.5
"""How real a text counts that names its choice, and needs no reading: few are staged."""

_INSISTS = re.compile(
    r"\b(?:always|never|every time|each time|every single|for good|for always|whoever|not even"
    r"|no longer|as usual|the only|any ?more|will not change|that's how i)\b",
    re.IGNORECASE,
)
_LESS_REAL = 1.0
"""By how much of ten a text seems less real in a whole chat that insists on a habit or a refusal:
readers of single texts hardly mind it, readers of contexts do.
"""

_FINE = 6
"""The rating of strangers from which on a text is none the worse."""

_GROUPS = (
    *("artefacts", "named", "others", "others_named", "others_ended"),
    *("endings", "refusals", "condition"),
)


@cache
def rate_texts(need_id: NeedId) -> Mapping[str, float]:
    """Return how real each text of a need seems within a context, of ten, by its place."""
    realism = rate_realism(need_id)
    return MappingProxyType(
        {
            place: realism.get(place, _UNREAD)
            - _LESS_REAL * bool(_INSISTS.search(exchange.ask))
            - count_doubts(exchange)
            for place, exchange in _list_places(need_id)
        }
    )


def count_doubts(exchange: Exchange) -> float:
    """Return by how much of ten strangers found a text less real than it has to be."""
    rating = _strangers().get(hash_said(exchange), _FINE)
    return max(0, _FINE - rating) - (rating > _FINE)


def hash_said(exchange: Exchange) -> str:
    """Return ten letters that stand for what the user types and pastes."""
    return hashlib.sha256(exchange.say().encode()).hexdigest()[:10]


def order_texts(
    need_id: NeedId,
    choice: str,
    group: str,
    texts: Sequence[Exchange],
    country: str,
    random: Random,
) -> list[int]:
    """Return the numbers of the texts of a group, roughly from the most real to the least.

    What asks for the language of the country comes last.
    """
    rated = rate_texts(need_id)

    def weigh(number: int) -> tuple[bool, float]:
        rating = rated.get(f"{choice}.{group}.{number}", _UNREAD)
        return names_tongue(texts[number].ask, country), -rating - SPREAD * random.random()

    return sorted(range(len(texts)), key=weigh)


def _list_places(need_id: NeedId) -> Iterator[tuple[str, Exchange]]:
    need = get_need(need_id)
    for number, exchange in enumerate(need.pointers):
        yield f".pointers.{number}", exchange
    for choice in need.choices:
        for group in _GROUPS:
            for number, exchange in enumerate(choice.list_texts_of(group)):
                yield f"{choice.key}.{group}.{number}", exchange


@cache
def _strangers() -> Mapping[str, int]:
    ratings: Mapping[str, int] = read_json(CONTENT / "strangers.json")["ratings"]
    return ratings
