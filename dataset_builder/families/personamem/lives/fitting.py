"""Fitting: which everyday chats belong into one life."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.tongues import names_tongue
from personamem.dataset_builder.fillers import Chat

ANYBODY = "home"
_CLUB, _MEMBERS = "club", 0.3
"""The share of people who help out in an association."""

_GOLDEN = (5**0.5 - 1) / 2
"""Multiples of it, taken modulo 1, lie far apart, however many they are."""


def order_chats(chats: Sequence[Chat], seed: int, persona_id: int) -> list[Chat]:
    """Return all chats in one order per seed, from a place of the person's own in the round.

    So the same chat comes in as few lives of a dataset as possible.
    """
    order = make_rng(seed, "everyday").sample(chats, len(chats))
    start = int(persona_id * _GOLDEN % 1 * len(order))
    return order[start:] + order[:start]


def draw_fitting(chats: Sequence[Chat], field: str, country: str, random: Random) -> Iterator[Chat]:
    """Yield the chats that a person might have had, in order: two private ones to each other.

    ``field`` is the person's field of work. Nobody works in two shops, or belongs to two
    associations, and nobody has a text put into the language of their ``country``.
    """
    fields = {field, _CLUB} if random.random() < _MEMBERS else {field}
    private, others = [], []
    place_of: dict[str, str] = {}
    for chat in chats:
        if names_tongue(chat.messages[0], country):
            continue
        if ANYBODY in chat.fields:
            private.append(chat)
            continue
        shared = fields.intersection(chat.fields)
        if not shared:
            continue
        if chat.place:
            where = _CLUB if shared == {_CLUB} else field
            if place_of.setdefault(where, chat.place) != chat.place:
                continue
        others.append(chat)
    for three in zip_longest(private[::2], private[1::2], others):
        yield from (chat for chat in three if chat)
