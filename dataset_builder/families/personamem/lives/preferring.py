"""Preferring: of several texts that show the same, those that readers found most real."""

import re
from collections.abc import Sequence
from functools import cache
from random import Random

from personamem.dataset_builder.families.personamem.lives.bank import NeedId, rate_realism
from personamem.dataset_builder.families.personamem.lives.need import Exchange
from personamem.dataset_builder.families.personamem.lives.tongues import names_tongue

SPREAD = 0.8
"""By how much of ten the order of texts may differ from what readers found real."""

_INSISTS = re.compile(
    r"\b(?:always|never|every time|each time|every single|for good|for always|whoever|not even"
    r"|no longer|as usual|the only|any ?more|will not change|that's how i)\b",
    re.IGNORECASE,
)
_LESS_REAL = 1.0
"""By how much of ten a text seems less real in a whole chat that insists on a habit or a refusal:
readers of single texts hardly mind it, readers of contexts do.
"""


def rate_text(realism: float, ask: str) -> float:
    """Return how real a text seems within a context, of ten."""
    return realism - _LESS_REAL * _insists(ask)


@cache
def _insists(ask: str) -> bool:
    return bool(_INSISTS.search(ask))


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
        ask = texts[number].ask
        rated = rate_text(realism.get(f"{choice}.{group}.{number}", 0.0), ask)
        return names_tongue(ask, country), -rated - SPREAD * random.random()

    return sorted(range(len(texts)), key=weigh)
