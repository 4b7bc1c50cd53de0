"""Traits that show in ways of doing things, so that one can be carried over to another need.

Three readers said of each choice which traits show in it: clearly (two points each) or perhaps
(one point). A trait counts as shown where they agree, and as absent where next to nobody saw it;
what lies between is used for neither.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import Annotated

from pydantic import Field

from personamem.dataset_builder.core.content_yaml import Strict, read_content
from personamem.dataset_builder.families.personamem.lives.bank import NeedId
from personamem.dataset_builder.families.personamem.lives.need import CONTENT, Trait
from personamem.loaders.formats.schema import COHORT_SIZE

SHOWN = 5
"""Points, of six, from which a trait shows in a choice."""

ABSENT = 1
"""Points up to which a trait is absent from a choice."""

NOTICED = 3
"""Points from which somebody may see a trait in a choice."""

CARRIED = frozenset(
    ("alone", "by_hand", "expert", "online", "outsourced", "physical", "reused", "tech", "together")
)
"""Traits by which people can be told apart from one need to another; the others are too weak."""

Points = Annotated[int, Field(ge=1, le=6)]


class TraitReadings(Strict):
    """content/traits.json: who read, and the points of each trait by "topic/need/choice"."""

    readers: str
    choices: Mapping[str, Mapping[Trait, Points]]


Targets = Mapping[NeedId, tuple[str, ...]]
"""Needs, and the choice of each that has trait j, "" where it has none."""


@dataclass(frozen=True, slots=True)
class TraitSet:
    """Four traits, the choices of ``targets`` that have them, and the choices elsewhere that do."""

    traits: tuple[str, ...]
    targets: Targets
    shown: Targets


@dataclass(frozen=True, slots=True)
class Leaning:
    """The trait of a person that a question is about, and those that its other options have."""

    trait: str = ""
    foreign: frozenset[str] = frozenset()

    def rate(self, need_id: NeedId, choice: str) -> tuple[bool, bool]:
        """Return how little a choice fits the person; what fits best comes first in order."""
        points = load_traits().get(need_id, {}).get(choice, {})
        shows_foreign = any(points.get(trait, 0) >= NOTICED for trait in self.foreign)
        return shows_foreign, points.get(self.trait, 0) < NOTICED


@cache
def load_traits() -> Mapping[NeedId, Mapping[str, Mapping[str, int]]]:
    """Return the points of each trait, by need and choice."""
    found: dict[NeedId, dict[str, Mapping[str, int]]] = {}
    read = read_content(CONTENT / "traits.json", "traits", TraitReadings)
    for name, points in read.choices.items():
        topic, need, choice = name.split("/")
        found.setdefault((topic, need), {})[choice] = {str(t): p for t, p in points.items()}
    return found


def find_trait_set(
    needs: Sequence[NeedId], random: Random, times: int, targets: int = 1
) -> TraitSet | None:
    """Return a set from ``needs`` with so many targets, in which each trait is shown ``times``
    times.

    Needs that come early are preferred. None if there is no such set.
    """
    for target in needs:
        fours = _list_fours(target)
        for four in random.sample(fours, len(fours)):
            asked = [need for need in needs if all(_find(need, four, trait) for trait in four)]
            asked = [target, *(need for need in asked if need != target)][:targets]
            topics = {need[0] for need in asked}
            shown = _cover(four, [need for need in needs if need[0] not in topics], times)
            if len(asked) == targets and shown is not None:
                options = {need: tuple(_find(need, four, t) for t in four) for need in asked}
                return TraitSet(four, options, shown)
    return None


def list_showing(need_id: NeedId, traits: Iterable[str]) -> frozenset[str]:
    """Return the choices of a need in which somebody may see one of ``traits``."""
    return frozenset(
        choice
        for choice, points in load_traits().get(need_id, {}).items()
        if any(points.get(trait, 0) >= NOTICED for trait in traits)
    )


@cache
def _list_fours(need: NeedId) -> tuple[tuple[str, ...], ...]:
    """Return the sets of four traits each of which shows in a choice of the need, and no other."""
    choices = load_traits().get(need, {})
    seen = {t for points in choices.values() for t in points if points[t] >= SHOWN}
    traits = sorted(seen & CARRIED)
    return tuple(
        four
        for four in combinations(traits, COHORT_SIZE)
        if all(_find(need, four, trait) for trait in four)
    )


@cache
def _find(need: NeedId, four: tuple[str, ...], trait: str) -> str:
    """Return a choice that has one trait and none of the other three; "" if there is none."""
    for choice, points in load_traits().get(need, {}).items():
        others = (points.get(other, 0) for other in four if other != trait)
        if points.get(trait, 0) >= SHOWN and all(point <= ABSENT for point in others):
            return choice
    return ""


def _cover(
    four: tuple[str, ...], needs: Sequence[NeedId], times: int
) -> dict[NeedId, tuple[str, ...]] | None:
    """Return the fewest needs, as far as one after the other finds them, that show all traits."""
    rows = {need: tuple(_find(need, four, trait) for trait in four) for need in needs}
    lacking = dict.fromkeys(range(COHORT_SIZE), times)
    chosen: dict[NeedId, tuple[str, ...]] = {}
    while any(lacking.values()):
        gains = {
            need: sum(bool(row[j]) for j in lacking if lacking[j])
            for need, row in rows.items()
            if need not in chosen
        }
        best = max(gains, key=gains.__getitem__, default=None)
        if best is None or not gains[best]:
            return None
        chosen[best] = tuple(choice if lacking[j] else "" for j, choice in enumerate(rows[best]))
        for j, choice in enumerate(chosen[best]):
            lacking[j] -= bool(choice)
    return chosen
