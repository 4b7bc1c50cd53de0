"""Named random streams: the only source of randomness in a build.

``make_rng(seed, "writer", cohort, persona)`` is the same generator wherever and whenever it is
made, and independent of every other name. A draw added to one stage therefore moves nothing in
another, and work can be split over any number of processes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from random import Random
from typing import Generic, TypeVar

T = TypeVar("T")


def make_rng(seed: int, *name: object) -> Random:
    """Return the generator of the stream called ``name`` under ``seed``."""
    label = "\x1f".join([str(seed), *map(str, name)])
    return Random(int.from_bytes(hashlib.sha256(label.encode()).digest()[:16], "big"))


def draw_weighted(shares: Mapping[str, float], random: Random) -> str:
    """Return a key, drawn by its share of the sum of all."""
    position = random.random() * sum(shares.values())
    for value, share in shares.items():
        position -= share
        if position < 0:
            return value
    return value


class ShuffleBag(Generic[T]):
    """Deal items in shuffled order and reshuffle only when all were dealt.

    Repeats stay as far apart as the number of items allows, which plain sampling does not give:
    the last two fifths of a round do not return within the first two fifths of the next.
    """

    __slots__ = ("_draw", "_items", "_left", "_order")

    def __init__(self, items: Sequence[T], random: Random) -> None:
        self._items = list(items)
        self._draw = random.random
        self._order: list[int] = []
        self._left = self._shuffle()

    @property
    def left(self) -> int:
        """How many items this round still holds."""
        return len(self._left)

    def deal(self) -> T:
        """Return the next item."""
        if not self._left:
            self._left = self._shuffle()
        return self._items[self._left.pop()]

    def _shuffle(self) -> list[int]:
        # Fisher and Yates. Random.shuffle draws exact integers, at thrice the price; decks are so
        # short that a float is even enough.
        count, draw = len(self._items), self._draw
        order = list(range(count))
        for last in range(count - 1, 0, -1):
            other = int(draw() * (last + 1))
            order[last], order[other] = order[other], order[last]
        # Items are dealt from the end of the order.
        apart = 2 * count // 5
        recent = set(self._order[:apart])
        free = [place for place in range(count - apart) if order[place] not in recent]
        for place in range(count - apart, count):
            if order[place] in recent:
                other = free.pop()
                order[place], order[other] = order[other], order[place]
        self._order = order
        return order.copy()
