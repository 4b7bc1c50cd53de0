"""Lines of histories, and whether they fit a user: by traits, and by what the user prefers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from personamem.dataset_builder.families.personalens.content_schema import LineContent

Line = TypeVar("Line", bound=LineContent)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a line may require of a user: tags, and values by the key of their type."""

    tags: frozenset[str]
    values: Mapping[str, tuple[str, ...]]


def list_fitting(lines: Sequence[Line], facts: Facts) -> list[Line]:
    """Return the lines that fit a user, in their order."""
    return [line for line in lines if _fits(line, facts)]


def choose(lines: Sequence[Line], facts: Facts, random: Random) -> Line:
    """Return one of the lines that fit a user. Raises IndexError if none does."""
    return random.choice(list_fitting(lines, facts))


def _fits(line: LineContent, facts: Facts) -> bool:
    return (
        (not line.users or not facts.tags.isdisjoint(line.users))
        and facts.tags.isdisjoint(line.never)
        and all(not set(values).isdisjoint(facts.values[key]) for key, values in line.holds.items())
        and all(set(values).isdisjoint(facts.values[key]) for key, values in line.lacks.items())
    )
