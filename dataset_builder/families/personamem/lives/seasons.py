"""Seasons: what comes once a year is spoken of around that time."""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache

from personamem.dataset_builder.core.calendar_words import MONTHS

_TRIES = 99
"""Days drawn before a text is taken out of season, where a stage of a life has no better one."""

_FEASTS = (
    (r"christmas|xmas", {11, 12, 1}),
    (r"advent", {11, 12}),
    (r"new year(?:'?s)?", {12, 1}),
    (r"carnival", {1, 2, 3}),
    (r"easter", {2, 3, 4}),
    (r"holy week|good friday", {3, 4}),
)
_WEATHER = (
    (r"spring", {2, 3, 4, 5, 6}),
    (r"summer", {4, 5, 6, 7, 8, 9}),
    (r"heatwave", {6, 7, 8}),
    (r"autumn", {8, 9, 10, 11}),
    (r"winter", {10, 11, 12, 1, 2, 3}),
    (r"snow|frost|icy", {11, 12, 1, 2, 3}),
)
"""Words and the months in which they come up, the weather's in the north."""

_SOUTH = frozenset({"Argentina", "Australia", "Brazil", "Chile", "New Zealand", "South Africa"})
_EVERY = frozenset(range(1, 13))


def draw_in_season(draw: Callable[[], date], text: str, country: str) -> date:
    """Return a day that ``draw`` yields, if possible one on which ``text`` might be typed."""
    months = list_months(text, country in _SOUTH)
    day = draw()
    for _ in range(_TRIES):
        if day.month in months:
            break
        day = draw()
    return day


@lru_cache(maxsize=1 << 16)
def list_months(text: str, south: bool) -> frozenset[int]:
    """Return the months in which somebody might type a text; all of them where it names none."""
    months = _EVERY
    if not _ANY.search(text):
        return months
    for named in _NAMED.finditer(text):
        months &= _list_near(MONTHS.index(named[2].capitalize()) + 1, named[1].lower())
    for pattern, found in _COMPILED:
        if pattern.search(text):
            turned = south and pattern not in _FEAST_PATTERNS
            months &= {(month + 5) % 12 + 1 for month in found} if turned else found
    return months or _EVERY


_COMPILED = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), months)
    for words, months in (*_FEASTS, *_WEATHER)
)
_FEAST_PATTERNS = frozenset(pattern for pattern, _ in _COMPILED[: len(_FEASTS)])


def _list_near(month: int, relation: str) -> frozenset[int]:
    """Return the months in which a month is called the last one, or the next one, of its name."""
    first, last = _AWAY[relation]
    return frozenset((month + step - 1) % 12 + 1 for step in range(first, last + 1))


_AWAY = {
    **dict.fromkeys(("since", "last", "of"), (1, 6)),
    **dict.fromkeys(("until", "till", "by", "next"), (-5, -1)),
    **dict.fromkeys(("in", "from", "for"), (-4, 5)),
}
"""How many months after a month, or before it, somebody speaks of it."""

_NAMED = re.compile(rf"\b({'|'.join(_AWAY)}) ({'|'.join(MONTHS)})\b", re.IGNORECASE)
_ANY = re.compile(
    rf"\b(?:{'|'.join((*MONTHS, *(words for words, _ in (*_FEASTS, *_WEATHER))))})\b",
    re.IGNORECASE,
)
