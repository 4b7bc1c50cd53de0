"""Rendering of content for one archive: fresh scene slots, and a watch on values that are asked.

A document must not answer a question by accident, rightly or wrongly. So every value of an asked
attribute is watched for, and a piece of text in which one stands that was not meant to is rendered
anew.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from random import Random
from typing import TypeVar

from personamem.dataset_builder.core.calendar_words import WEEKDAYS
from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.grammar import capitalise
from personamem.dataset_builder.core.people import list_acquaintances, people_tables
from personamem.dataset_builder.core.rng import ShuffleBag

GenerationItem = TypeVar("GenerationItem")
Content = TypeVar("Content")

PRONOUNS_OF = {
    "she": {"they": "she", "them": "her", "their": "her"},
    "he": {"they": "he", "them": "him", "their": "his"},
}

_WORD = re.compile(r"\w+")
_TRIES = 24
_LOWER = re.compile(r"[\[|]*[a-z]")
_DAYS_BACK = 20
_DAYS_AWAY = (2, 3, 4, 5)
"""Days to a weekday that is named: neither today, tomorrow nor yesterday are."""

_COUNTS = (*range(2, 13), 15, 18, 20, 24, 25, 30, 35, 40, 45, 50, 60)
_MINUTES = 4 * (0, 30) + 2 * (15, 45)
"""Of appointments, which people make at full hours and quarters."""


class TermMatcher:
    """Finds watched values in texts, as whole words, plurals included and in any case."""

    def __init__(self, values: Iterable[str]) -> None:
        self._starts: dict[str, _Step] = {}
        for value in dict.fromkeys(values):
            *leading, last = _WORD.findall(value.casefold()) or [""]
            if last:
                steps = self._starts
                for word in leading:
                    steps = steps.setdefault(word, _Step()).steps
                for form in (last, f"{last}s"):
                    steps.setdefault(form, _Step()).values.append(value)

    def find(self, text: str) -> list[str]:
        """Return the watched values that stand in ``text``, once for each place.

        Where one stands within another ("thai" in "pad thai"), only the longer one is meant.
        """
        words = _WORD.findall(text.casefold())
        found: list[tuple[int, int, str]] = []
        starts = self._starts
        for position, word in enumerate(words):
            if word in starts:
                found.extend(_follow(starts[word], words, position))
        return [
            value
            for start, end, value in found
            if not any(s <= start and end <= e and e - s > end - start for s, e, _ in found)
        ]

    def count(self, texts: Iterable[str], meant: Sequence[str]) -> int:
        """Return how many watched values stand in ``texts`` outside of those that are ``meant``."""
        if any(meant):
            pattern = _any_of(tuple(meant))
            texts = [pattern.sub(" ", text) for text in texts]
        return sum(len(self.find(text)) for text in texts)


@dataclass(slots=True)
class _Step:
    """A word of watched values: the values that end with it, and the words that may follow."""

    values: list[str] = field(default_factory=list)
    steps: "dict[str, _Step]" = field(default_factory=dict)


def _follow(step: _Step | None, words: Sequence[str], start: int) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, value) of the values that begin with word ``start``."""
    end = start + 1
    while step is not None:
        for value in step.values:
            yield start, end, value
        step = step.steps.get(words[end]) if end < len(words) else None
        end += 1


@lru_cache(maxsize=4096)
def _any_of(texts: tuple[str, ...]) -> re.Pattern[str]:
    pattern = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return re.compile(pattern, re.IGNORECASE)


class Renderer:
    """Deals content from decks and renders it; make one for each archive."""

    def __init__(self, random: Random, watch: TermMatcher) -> None:
        self.random = random
        self._watch = watch
        self._tables = people_tables()
        self._decks: dict[object, ShuffleBag[object]] = {}

    def deal(self, name: object, items: Sequence[Content]) -> Content:
        """Return the next of ``items``; those of one name come again only after all others."""
        deck = self._decks.get(name)
        if deck is None:
            deck = self._decks[name] = ShuffleBag(items, self.random)
        return deck.deal()  # type: ignore[return-value]

    def scene(self, time: datetime, is_of_other: bool = False) -> dict[str, str]:
        """Return fresh values of all scene slots for a session at ``time``.

        Pronouns are those of the acquaintance, or of the other one.
        """
        random = self.random
        names = random.sample(list(list_acquaintances()), 2)
        day = time - timedelta(days=random.randint(1, _DAYS_BACK))
        return {
            "weekday": WEEKDAYS[(time.weekday() + random.choice(_DAYS_AWAY)) % 7],
            "date": write_day(day),
            "clock": f"{random.randint(7, 20)}:{random.choice(_MINUTES):02}",
            "count": str(random.choice(_COUNTS)),
            "acquaintance": names[0],
            "other": names[1],
            "town": random.choice(self._tables["towns"]),
            "street": random.choice(self._tables["streets"]),
            **PRONOUNS_OF[list_acquaintances()[names[is_of_other]]],
        }

    def render_message(self, source: str, slots: Mapping[str, str]) -> str:
        """Return "me: ..." rendered; what is typed in lower case stays so."""
        speaker, text = source.split(": ", 1)
        if _LOWER.match(text):
            return f"{speaker}: {template(text).render(slots, self.random.random)}"
        return f"{speaker}: {self.render(text, slots)}"

    def render(self, source: str, slots: Mapping[str, str]) -> str:
        """Return a rendering that starts with a capital, also where a value starts a sentence."""
        text = capitalise(template(source).render(slots, self.random.random))
        value = slots.get("value", "")
        if value[:1].islower():
            for mark in (". ", "? ", "! "):
                text = text.replace(f"{mark}{value}", f"{mark}{capitalise(value)}")
        return text

    def make(
        self,
        attempt: Callable[[], GenerationItem],
        texts_of: Callable[[GenerationItem], Iterable[str]],
        meant: Iterable[str] = (),
    ) -> GenerationItem:
        """Return the first of some attempts without watched values, else the one with fewest."""
        meant = list(meant)
        best, fewest = None, 0
        for _ in range(_TRIES):
            piece = attempt()
            found = self._watch.count(texts_of(piece), meant)
            if not found:
                return piece
            if best is None or found < fewest:
                best, fewest = piece, found
        assert best is not None
        return best


def write_day(day: datetime) -> str:
    """Return a day as "3 March"."""
    return f"{day.day} {day:%B}"
