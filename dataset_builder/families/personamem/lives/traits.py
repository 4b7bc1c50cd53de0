"""Traits that choices of several needs have in common, so that one can be carried over."""

from collections.abc import Iterator, Sequence
from random import Random

from personamem.dataset_builder.families.personamem.lives.need import Choice, Need
from personamem.dataset_builder.families.personamem.lives.stories import PHRASE_FRAME, are_alike
from personamem.loaders.formats.schema import COHORT_SIZE


def find_shared_traits(needs: Sequence[Need], random: Random) -> list[tuple[str, ...]] | None:
    """Return four choices of each need, so that choice j has the same trait in all of them.

    A choice has exactly one of the four traits; None if there are no such four.
    """
    by_need: list[dict[str, list[Choice]]] = [
        {
            trait: [choice for choice in need.choices if trait in choice.traits]
            for choice in need.choices
            for trait in choice.traits
        }
        for need in needs
    ]
    shared = sorted(set.intersection(*(set(found) for found in by_need)))
    for four in _sample_fours(shared, random):
        found = []
        for traits in by_need:
            row = [
                [c for c in traits[trait] if len(set(c.traits) & set(four)) == 1] for trait in four
            ]
            if not all(row):
                break
            chosen = [random.choice(choices) for choices in row]
            if not are_alike([choice.phrase for choice in chosen], PHRASE_FRAME):
                break
            found.append(tuple(choice.key for choice in chosen))
        else:
            return found
    return None


def _sample_fours(traits: Sequence[str], random: Random) -> Iterator[tuple[str, ...]]:
    if len(traits) < COHORT_SIZE:
        return
    for _ in range(60):
        yield tuple(random.sample(traits, COHORT_SIZE))
