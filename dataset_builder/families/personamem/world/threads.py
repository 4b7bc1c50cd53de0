"""Threads: what a cohort of four personas has in common.

A thread is one story line with four candidates v0..v3 that the four personas share. In the world of
persona k, candidate v_j has the role ``ROLES[kind][(j - shifts[k]) mod 4]``, where ``shifts`` is a
random permutation of 0..3: over the cohort every candidate has every role exactly once. So a
question about the thread, asked of all four with the same options, has each option as gold once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.packs import (
    TRAITS,
    EventKind,
    Item,
    Occasion,
    TopicPack,
)


class Kind(StrEnum):
    """What a thread is about."""

    PREFERENCE = "preference"
    EVOLUTION = "evolution"
    FACT = "fact"
    TRAIT = "trait"
    IDEAS = "ideas"


ROLES = {
    Kind.PREFERENCE: ("current", "former", "somebody_else", "declined"),
    Kind.EVOLUTION: ("history", "other_history_1", "other_history_2", "other_history_3"),
    Kind.FACT: ("own", "friend", "relative", "considered"),
    Kind.TRAIT: ("own", "friend", "relative", "rejected"),
    Kind.IDEAS: ("new", "tried", "shelved", "heard_of"),
}
"""The roles that rotate; the first is the gold one of the thread's questions."""

REASON_ROLES = ("this_change", "other_change", "somebody_else", "ruled_out")

BALANCED_HISTORIES = tuple(
    four
    for four in combinations(("+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"), 4)
    if all(sum(history[stage] == "+" for history in four) == 2 for stage in range(3))
)
"""Sets of four histories in which each stage alone is liked in two and not liked in two."""

THREADS_PER_TOPIC = {Kind.PREFERENCE: 2, Kind.EVOLUTION: 2, Kind.FACT: 3, Kind.IDEAS: 2}
TRAIT_THREADS = 2


@dataclass(frozen=True, slots=True)
class Thread:
    """One story line of a cohort.

    ``candidates`` are item names, histories, event keys or traits; ``shifts[persona_index]``
    rotates the roles for one persona; ``periods`` are the indices (0..3) of the periods of its
    stages, in order. ``reasons``, ``reason_shifts`` and ``side_occasion`` belong to preference
    threads.
    """

    thread_id: str
    kind: Kind
    topic: str
    candidates: tuple[str, ...]
    shifts: tuple[int, ...]
    periods: tuple[int, ...]
    occasion: Occasion | None = None
    side_occasion: Occasion | None = None
    item: Item | None = None
    items: tuple[Item, ...] = ()
    event_kind: EventKind | None = None
    reasons: tuple[str, ...] = ()
    reason_shifts: tuple[int, ...] = ()
    trait_topics: tuple[str, ...] = ()

    def roles_of(self, persona_index: int) -> tuple[str, ...]:
        """Return the role of each candidate in the persona's world, in candidate order."""
        roles = ROLES[self.kind]
        return tuple(roles[(j - self.shifts[persona_index]) % 4] for j in range(4))

    def reason_roles_of(self, persona_index: int) -> tuple[str, ...]:
        """Return the role of each reason in the persona's world, in the order of ``reasons``."""
        return tuple(REASON_ROLES[(j - self.reason_shifts[persona_index]) % 4] for j in range(4))


def draw_topic_threads(seed: int, cohort: int, pack: TopicPack) -> tuple[Thread, ...]:
    """Return all threads of one topic of a cohort; items and occasions are used once each."""
    random = make_rng(seed, "threads", cohort, pack.topic)
    items = _ItemSupply(pack, random)
    occasions = random.sample(pack.occasions, len(pack.occasions))
    reasons = random.sample(pack.reasons, len(pack.reasons))
    kinds = random.sample(pack.events, len(pack.events))
    threads: list[Thread] = []
    prefix = f"c{cohort:03d}-{pack.topic}"
    for number in range(THREADS_PER_TOPIC[Kind.PREFERENCE]):
        four = items.take_four()
        threads.append(
            Thread(
                thread_id=f"{prefix}-preference-{number}",
                kind=Kind.PREFERENCE,
                topic=pack.topic,
                candidates=tuple(item.name for item in four),
                shifts=_shuffled_shifts(random),
                periods=tuple(sorted(random.sample(range(4), 2))),
                occasion=occasions.pop(),
                side_occasion=occasions.pop(),
                items=four,
                reasons=_take_alike(reasons),
                reason_shifts=_shuffled_shifts(random),
            )
        )
    for number in range(THREADS_PER_TOPIC[Kind.EVOLUTION]):
        histories = list(random.choice(BALANCED_HISTORIES))
        random.shuffle(histories)
        threads.append(
            Thread(
                thread_id=f"{prefix}-evolution-{number}",
                kind=Kind.EVOLUTION,
                topic=pack.topic,
                candidates=tuple(histories),
                shifts=_shuffled_shifts(random),
                periods=tuple(sorted(random.sample(range(4), 3))),
                occasion=occasions.pop(),
                item=items.take_one(),
            )
        )
    for number in range(THREADS_PER_TOPIC[Kind.FACT]):
        kind = kinds[number]
        members = _take_alike(random.sample(kind.members, len(kind.members)))
        threads.append(
            Thread(
                thread_id=f"{prefix}-fact-{number}",
                kind=Kind.FACT,
                topic=pack.topic,
                candidates=members,
                shifts=_shuffled_shifts(random),
                periods=(random.randrange(4),),
                event_kind=kind,
            )
        )
    for number in range(THREADS_PER_TOPIC[Kind.IDEAS]):
        four = items.take_four()
        threads.append(
            Thread(
                thread_id=f"{prefix}-ideas-{number}",
                kind=Kind.IDEAS,
                topic=pack.topic,
                candidates=tuple(item.name for item in four),
                shifts=_shuffled_shifts(random),
                periods=(random.randrange(3),),
                items=four,
            )
        )
    return tuple(threads)


def draw_trait_threads(seed: int, cohort: int, topics: Sequence[str]) -> tuple[Thread, ...]:
    """Return the trait threads of a cohort: disjoint fours of traits, each shown in every topic.

    Nobody has two traits at odds as traits of their own: opposites are in one four, and shifts are
    drawn again until no persona owns a clashing pair of the two fours.
    """
    random = make_rng(seed, "threads", cohort, "traits")
    others = random.sample([t for t in TRAITS if t not in (*_OPPOSITES[0], *_OPPOSITES[1])], 4)
    fours = [(*pair, *others[2 * i : 2 * i + 2]) for i, pair in enumerate(_OPPOSITES)]
    random.shuffle(fours)
    threads = [
        Thread(
            thread_id=f"c{cohort:03d}-trait-{number}",
            kind=Kind.TRAIT,
            topic="",
            candidates=tuple(random.sample(four, 4)),
            shifts=_shuffled_shifts(random),
            periods=(random.randrange(2),),
            trait_topics=tuple(topics),
        )
        for number, four in enumerate(fours)
    ]
    while any(set(own) in _CLASHES for own in zip(*map(_own_traits, threads), strict=True)):
        threads[1] = replace(threads[1], shifts=_shuffled_shifts(random))
    return tuple(threads)


def _own_traits(thread: Thread) -> tuple[str, ...]:
    """Return the trait that each of the four personas owns."""
    return tuple(thread.candidates[shift] for shift in thread.shifts)


_OPPOSITES = (("quiet", "company"), ("planner", "spontaneous"))
_CLASHES = ({"spontaneous", "numbers"}, {"spontaneous", "thrifty"})
"""Further pairs at odds: who acts on a whim neither weighs figures nor waits for a bargain."""


def _shuffled_shifts(random: Random) -> tuple[int, ...]:
    return tuple(random.sample(range(4), 4))


def _take_alike(texts: list[str]) -> tuple[str, ...]:
    """Remove and return the last text and the three nearest in length, so no option stands out."""
    anchor = texts[-1]
    by_length = sorted(texts, key=len)
    windows = (by_length[i : i + 4] for i in range(len(by_length) - 3))
    window = min((w for w in windows if anchor in w), key=lambda w: len(w[-1]) - len(w[0]))
    for text in window:
        texts.remove(text)
    return tuple(window)


class _ItemSupply:
    """Deal items so that four of one thread come from four groups and none is dealt twice."""

    def __init__(self, pack: TopicPack, random: Random) -> None:
        self._random = random
        self._groups = [random.sample(group.items, len(group.items)) for group in pack.groups]

    def take_four(self) -> tuple[Item, ...]:
        # Fullest groups first, so that four different groups remain available to the end.
        groups = sorted(self._groups, key=lambda group: (-len(group), self._random.random()))[:4]
        four = [group.pop() for group in groups]
        self._random.shuffle(four)
        return tuple(four)

    def take_one(self) -> Item:
        return max(self._groups, key=len).pop()
