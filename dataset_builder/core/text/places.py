"""Where in a context something was found."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

KEPT_PLACES = 20
EXCERPT_LETTERS = 120


@dataclass(frozen=True, slots=True)
class Place:
    """Where a fault stands. ``message`` is an index into the context's messages."""

    context_id: str
    message: int
    excerpt: str


@dataclass(frozen=True, slots=True)
class Hits:
    """How many faults there are, and where the first of them stand (at most ``KEPT_PLACES``)."""

    count: int = 0
    places: tuple[Place, ...] = ()

    @classmethod
    def join(cls, parts: Iterable["Hits"]) -> "Hits":
        """Return the sum of ``parts``, with places taken from all of them in turn."""
        listed = [part for part in parts if part.count]
        rounds = range(max((len(part.places) for part in listed), default=0))
        places = [part.places[i] for i in rounds for part in listed if i < len(part.places)]
        return cls(sum(part.count for part in listed), tuple(places[:KEPT_PLACES]))


NO_HITS = Hits()


def cut_excerpt(text: str, start: int = 0) -> str:
    """Return at most ``EXCERPT_LETTERS`` of ``text`` around ``start``, on one line."""
    low = max(0, start - EXCERPT_LETTERS // 2)
    return re.sub(r"\s", " ", text[low : low + EXCERPT_LETTERS])
