"""What a model is told of a quad's options: four replies to word anew, in the order of the quad.

A brief holds nothing about whom an option is right for. It is made once for all four personas.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personamem.writers.model.prompts import PROMPTS
from personamem.loaders.formats import schema

LEAST_SHARE, MOST_SHARE = 0.6, 1.5
"""Least and most letters of an option: shares of the embedded writer's shortest and longest."""


@dataclass(frozen=True, slots=True)
class OptionBrief:
    """One option: the embedded writer's wording, and what it has to hold literally.

    ``holds`` are to stand in the option once each, in this order; each is a tuple of renderings, of
    which the first is the draft's. ``trait`` is what the advice shows, where the value is a trait.
    """

    draft: str
    holds: tuple[tuple[str, ...], ...] = ()
    trait: str = ""


@dataclass(frozen=True, slots=True)
class OptionsBrief:
    """The options of a quad, or of a pair of quads with one wording.

    ``barred`` are candidates in lower case, which may stand only where they are an option's own;
    ``subjects`` are texts that the question is about and any option may name; ``names`` are those
    of the personas and of the people they talk about.
    """

    question_type: str
    question: str
    options: tuple[OptionBrief, ...]
    subjects: tuple[str, ...]
    barred: frozenset[str]
    names: frozenset[str]

    @property
    def least_letters(self) -> int:
        """The least letters of an option."""
        return round(LEAST_SHARE * min(len(option.draft) for option in self.options))

    @property
    def most_letters(self) -> int:
        """The most letters of an option."""
        return round(MOST_SHARE * max(len(option.draft) for option in self.options))


@dataclass(frozen=True, slots=True)
class Manner:
    """Words that stand in all four options or in none; in none where ``is_barred``."""

    says: str
    words: tuple[str, ...]
    is_barred: bool


def claim_of(question_type: str) -> str:
    """Return what all options of a type claim alike."""
    return str(_table()["claims"][question_type])


@cache
def manners_of(question_type: str) -> tuple[Manner, ...]:
    """Return which words the options of a type must share or not hold."""
    found = [
        Manner(entry["says"], tuple(entry["words"]), question_type in entry.get("barred", ()))
        for entry in _table()["manner"]
        if question_type not in entry.get("free", ())
    ]
    if question_type == schema.EVOLUTION:
        opinions = _table()["opinions"]
        found.append(Manner(opinions["says"], tuple(opinions["words"]), True))
    return tuple(found)


def times_of(question_type: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return words for the first and the last time, for options that tell a history."""
    if question_type != schema.EVOLUTION:
        return None
    times = _table()["times"]
    return tuple(times["first"]), tuple(times["last"])


def cues_of(trait: str) -> tuple[str, ...]:
    """Return words of which advice that shows ``trait`` holds one; none for no trait."""
    return tuple(_table()["traits"][trait]) if trait else ()


@cache
def _table() -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = read_yaml(PROMPTS.folder / "options.yaml")
    return loaded
