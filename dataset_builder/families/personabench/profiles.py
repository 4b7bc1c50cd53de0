"""Profiles: what is true of each member, over all attributes of the packs.

Grounded attributes come from the graph and are there first; the rest is drawn so that people who
know each other have different values, and no value is more common than it must be.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.attributes import MOST_VALUES, AttributePack
from personamem.dataset_builder.families.personabench.graph import USERS, Community
from personamem.dataset_builder.families.personabench.people import Member

_FULL_LISTS = 0.55
"""Share of lists that are as long as they may be: 28 of 54 questions on lists in the release."""

_FORMER_VALUES = ((0, 1, 2, 3), (20, 45, 25, 10))
"""How many values somebody dropped of a full list, and weights: 23 of 28 in the release did."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One value: ``text`` as it stands in documents, ``key`` for named values ("cat")."""

    text: str
    key: str = ""

    @property
    def plain(self) -> str:
        """The value as an answer gives it, without an article."""
        return self.text.removeprefix("the ")


@dataclass(frozen=True, slots=True)
class Profile:
    """The entries of one member by attribute, and those that they dropped in the time told of.

    A former value was given up for the current one at the same position of the entries.
    """

    entries: Mapping[str, tuple[Entry, ...]]
    former: Mapping[str, tuple[Entry, ...]] = field(default_factory=dict)

    def all_texts(self) -> set[str]:
        """Return every value that is or was true of the member."""
        tables = (self.entries, self.former)
        return {e.plain for table in tables for entries in table.values() for e in entries}


def draw_profiles(
    community: Community, packs: Mapping[str, AttributePack], seed: int
) -> tuple[Profile, ...]:
    """Return the profile of every member, in their order."""
    random = make_rng(seed, "community", community.number, "profiles")
    known = [community.relations_of(number) for number in range(len(community.members))]
    entries: list[dict[str, tuple[Entry, ...]]] = [
        _ground(member, packs.values()) for member in community.members
    ]
    former: list[dict[str, tuple[Entry, ...]]] = [{} for _ in community.members]
    for name, pack in packs.items():
        if pack.grounded:
            continue
        used: Counter[str] = Counter()
        order = _order_values(pack, seed, community.number)
        for number in range(len(community.members)):
            near = [
                entry.text
                for other in known[number]
                for table in (entries[other], former[other])
                for entry in table.get(name, ())
            ]
            drawn: tuple[Entry, ...]
            if pack.kind == "text":
                drawn = (Entry(min(order, key=lambda v: (v in near, used[v]))),)
                used[drawn[0].text] += 1
            else:
                drawn = _draw_entries(pack, set(near), used, random)
            entries[number][name] = drawn
            if number < USERS and len(drawn) == MOST_VALUES:
                count = random.choices(*_FORMER_VALUES)[0]
                taken = {*near, *(entry.text for entry in drawn)}
                old = _pick(pack.values, count, taken, used, random)
                former[number][name] = tuple(map(Entry, old))
    return tuple(
        Profile(current, {name: old for name, old in dropped.items() if old})
        for current, dropped in zip(entries, former, strict=True)
    )


def _ground(member: Member, packs: Iterable[AttributePack]) -> dict[str, tuple[Entry, ...]]:
    return {
        pack.attribute: (Entry(str(member.facts[pack.grounded])),)
        for pack in packs
        if pack.grounded and pack.grounded in member.facts
    }


def _order_values(pack: AttributePack, seed: int, number: int) -> list[str]:
    """Return the values in an order that starts elsewhere in each community.

    So test users of different communities have different single values while there are enough.
    """
    shuffled = make_rng(seed, "values", pack.attribute).sample(pack.values, len(pack.values))
    start = number * USERS % max(1, len(shuffled))
    return shuffled[start:] + shuffled[:start]


def _draw_entries(
    pack: AttributePack, near: set[str], used: Counter[str], random: Random
) -> tuple[Entry, ...]:
    low, high = pack.count
    full = high < MOST_VALUES or random.random() < _FULL_LISTS
    count = random.randint(low, high) if high < MOST_VALUES else high
    if not full:
        count = random.randint(low, high - 1)
    if not pack.named:
        return tuple(map(Entry, _pick(pack.values, count, near, used, random)))
    keys = random.sample(sorted(pack.named), count)
    if count == high:
        keys.sort(key=list(pack.named).index)
    return tuple(Entry(_pick(pack.named[key], 1, near, used, random)[0], key) for key in keys)


def _pick(
    values: Sequence[str], count: int, near: set[str], used: Counter[str], random: Random
) -> list[str]:
    """Return distinct values, those used least first, and none of ``near`` while any are left."""
    order = sorted(random.sample(values, len(values)), key=lambda v: (v in near, used[v]))
    chosen = order[:count]
    used.update(chosen)
    return chosen
