"""Dealing: how many questions of each type a group of contexts asks."""

from collections import Counter
from collections.abc import Mapping

from personamem.loaders.formats import schema

_NEEDS_PER_QUAD = {schema.NEVER_TOLD: 20, schema.SENSITIVE: 20, schema.GENERALIZE: 12}
"""Of how many needs of the bank a context may ask one question of a type that uses up many."""

_PAIRED = (schema.ACKNOWLEDGE, schema.RECOMMEND)
"""Types that are asked before and after an update."""

_ROOM_FOR_PAIR = 5
"""Questions from which on each context has a pair, even if it has not one of each type."""


def list_limits(needs: int) -> dict[str, int]:
    """Return how many questions of a type a context may ask, with so many needs in the bank."""
    return {name: max(1, needs // share) for name, share in _NEEDS_PER_QUAD.items()}


def deal_types(
    types: tuple[str, ...], n_quads: int, group: int, offset: int, limits: Mapping[str, int]
) -> tuple[Counter[str], int]:
    """Return how many quads of each type a group asks, and the offset for the next group.

    What is left after equal shares goes round over the groups. A group that has not two of each
    type has a pair of one, before and after an update; below five quads some groups have none.
    """
    if _ROOM_FOR_PAIR <= n_quads < len(types):
        paired = _PAIRED[group % len(_PAIRED)]
        rest = tuple(name for name in types if name not in _PAIRED)
        dealt, offset = _deal_round(rest, n_quads - 2, offset)
        return dealt + Counter({paired: 2}), offset
    fixed: Counter[str] = Counter()
    for name, limit in limits.items():
        if name in types and n_quads // len(types) >= limit:
            fixed[name] = limit
    open_types = tuple(name for name in types if name not in fixed)
    share, rest_quads = divmod(n_quads - fixed.total(), len(open_types))
    dealt = fixed + Counter(dict.fromkeys(open_types, share) if share else {})
    if share == 1 and rest_quads:
        dealt[schema.ACKNOWLEDGE] += 1
        rest_quads -= 1
    more, offset = _deal_round(open_types, rest_quads, offset, pairs=not share)
    return dealt + more, offset


def _deal_round(
    types: tuple[str, ...], rest: int, offset: int, pairs: bool = False
) -> tuple[Counter[str], int]:
    """Return ``rest`` quads of types in turn, and where the next turn starts.

    With ``pairs``, the latest preference is asked about twice where there is room.
    """
    dealt: Counter[str] = Counter()
    while rest:
        name = types[offset % len(types)]
        number = min(rest, 2 if pairs and name == schema.ACKNOWLEDGE else 1)
        dealt[name], rest, offset = dealt[name] + number, rest - number, offset + 1
    return dealt, offset
