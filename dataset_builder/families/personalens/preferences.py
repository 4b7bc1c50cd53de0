"""The preferences of a user: drawn by traits, and never against a rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from personamem.dataset_builder.families.personalens.content_schema import (
    TypeContent,
    read_domains,
)
from personamem.dataset_builder.families.personalens.rules import list_excluded
from personamem.dataset_builder.families.personalens.traits import read_traits
from personamem.dataset_builder.families.personalens.values import Value, group_values
from personamem.loaders.personalens.schema import Preference

_LENGTHS = (2, 5, 4, 2)
"""Weights of lists of one to four values, as far as a type allows."""


@dataclass(frozen=True, slots=True)
class DrawnPreference:
    """What a user prefers and has preferred; ``former`` is empty where nothing has changed."""

    content: TypeContent
    preference: Preference
    former: str


def draw_preferences(tags: frozenset[str], random: Random) -> list[DrawnPreference]:
    """Return a preference of every type for a user with these tags.

    Raises ValueError if no value is left for a type: content at fault.
    """
    chosen: dict[str, tuple[str, ...]] = {}
    drawn = []
    for domain in read_domains():
        for content in domain.types:
            accepted = _accept(content, tags, chosen)
            if not accepted:
                raise ValueError(f"{content.key}: no value is left for {sorted(tags)}")
            values = _draw_values(content, accepted, tags, random)
            chosen[content.key] = tuple(value.text for value in values)
            preference = Preference(domain.domain, content.name, content.form, chosen[content.key])
            former = _draw_former(content, accepted, values, random)
            drawn.append(DrawnPreference(content, preference, former))
    return drawn


def _accept(
    content: TypeContent, tags: frozenset[str], chosen: Mapping[str, tuple[str, ...]]
) -> list[Value]:
    excluded = list_excluded(content.key, chosen)
    parents = chosen.get(content.pool.of or "", ("",)) if content.pool else ("",)
    return [
        value
        for parent in parents
        for value in group_values(content.key).get(parent, ())
        if value.text not in excluded and all(need & tags for need in value.needs)
    ]


def _draw_values(
    content: TypeContent, accepted: Sequence[Value], tags: frozenset[str], random: Random
) -> list[Value]:
    soft = read_traits()["weights"]["soft"]
    most = min(content.most if content.form == "list" else 1, len(accepted))
    length = random.choices(range(1, most + 1), _LENGTHS[:most])[0]
    left = list(accepted)
    drawn: list[Value] = []
    for _ in range(length):
        weights = [value.weight * (soft if value.likes & tags else 1) for value in left]
        drawn.append(left.pop(random.choices(range(len(left)), weights)[0]))
    return drawn


def _draw_former(
    content: TypeContent, accepted: Sequence[Value], values: Sequence[Value], random: Random
) -> str:
    """Return a value that the user might well have had before."""
    left = [value.text for value in accepted if value not in values]
    if content.settled or content.kind == "free" or not left:
        return ""
    return random.choice(left)
