"""Preferring: of several texts that show the same, those that readers found most real."""

from collections.abc import Sequence
from random import Random

from personamem.dataset_builder.families.personamem.lives.bank import NeedId, rate_realism
from personamem.dataset_builder.families.personamem.lives.need import Exchange
from personamem.dataset_builder.families.personamem.lives.tongues import names_tongue

SPREAD = 0.8
"""By how much of ten the order of texts may differ from what readers found real."""


def order_texts(
    need_id: NeedId,
    choice: str,
    group: str,
    texts: Sequence[Exchange],
    country: str,
    random: Random,
) -> list[int]:
    """Return the numbers of the texts of a group, roughly from the most real to the least.

    What asks for the language of the country comes last.
    """
    realism = rate_realism(need_id)

    def weigh(number: int) -> tuple[bool, float]:
        rated = realism.get(f"{choice}.{group}.{number}", 0.0)
        return names_tongue(texts[number].ask, country), -rated - SPREAD * random.random()

    return sorted(range(len(texts)), key=weigh)
