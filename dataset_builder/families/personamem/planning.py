"""The plan of a cohort's contexts: which quads are asked and which threads they need.

A group of four contexts (one a persona) shares a plan: the same topics, threads and questions.
Types are dealt round-robin over the split, so their shares are even however many a group asks.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import DEFAULT_TOPICS, PersonaMemConfig
from personamem.dataset_builder.families.personamem.world.threads import (
    THREADS_PER_TOPIC,
    TRAIT_THREADS,
    Kind,
)
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE

BEFORE, AFTER = "before", "after"
DENSE_SIZES = frozenset({"4k", "8k"})
"""Here one preference thread serves several question types, since there is no room for more."""

DENSE_TOPICS = 2
"""Up to this many topics, a context has one trait thread, shown in one topic."""

SCENARIOS = 3
"""Scenarios of a topic that are used; every pack has at least as many."""

_KIND_OF_TYPE = {
    schema.EVOLUTION: Kind.EVOLUTION,
    schema.RECALL: Kind.FACT,
    schema.NEW_IDEAS: Kind.IDEAS,
}


@dataclass(frozen=True, slots=True)
class QuadPlan:
    """One question to ask of all four personas.

    ``position`` is "before" or "after" the update of its thread, ``paired`` whether both are asked;
    ``scenario`` indexes the scenarios of ``topic`` and belongs to generalizing questions.
    """

    quad_id: str
    question_type: str
    thread_id: str
    topic: str
    position: str = AFTER
    paired: bool = False
    scenario: int = 0


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """The shared plan of four contexts. ``trait_topics`` are where each trait thread is shown."""

    size: str
    group: int
    cohort: int
    topics: tuple[str, ...]
    quads: tuple[QuadPlan, ...]
    trait_topics: dict[str, tuple[str, ...]]

    def thread_ids(self) -> tuple[str, ...]:
        """Return the ids of all threads that a question needs, in order of first use."""
        return tuple(dict.fromkeys(quad.thread_id for quad in self.quads))

    def asks_reason_of(self, thread_id: str) -> bool:
        """Return whether a question asks for the reason of this thread's change."""
        return any(
            quad.thread_id == thread_id and quad.question_type == schema.REASONS
            for quad in self.quads
        )


@lru_cache(maxsize=8)
def plan_split(config: PersonaMemConfig, size: str) -> tuple[GroupPlan, ...]:
    """Return the plans of all context groups of a split.

    Raises InvalidInputError when the topics cannot carry that many questions, or when there are
    fewer questions than personas.
    """
    groups, quads = config.count_quads(size)
    random = make_rng(config.seed, "plan", size)
    types_offset = 0
    topic_counter = count()
    plans = []
    for group in range(groups):
        n_quads = quads // groups + (group < quads % groups)
        types, types_offset = _deal_types(n_quads, types_offset)
        n_topics = _topics_needed(types, size, len(config.topics))
        topics = _deal_topics(config, size, topic_counter, n_topics)
        plans.append(_plan_group(config, size, group, topics, types, random.randrange(1 << 30)))
    return tuple(plans)


def _deal_types(n_quads: int, offset: int) -> tuple[Counter[str], int]:
    """Return how many quads of each type a group asks, and the offset for the next group.

    What is left after equal shares goes round over the groups. A group too small for two of each
    has two of ACKNOWLEDGE all the same, so that it holds a pair before and after an update.
    """
    share, rest = divmod(n_quads, len(schema.QUESTION_TYPES))
    types = Counter(dict.fromkeys(schema.QUESTION_TYPES, share) if share else {})
    if share == 1 and rest:
        types[schema.ACKNOWLEDGE] += 1
        rest -= 1
    for _ in range(rest):
        types[schema.QUESTION_TYPES[offset % len(schema.QUESTION_TYPES)]] += 1
        offset += 1
    return types, offset


def _topics_needed(types: Counter[str], size: str, available: int) -> int:
    """Return how many topics can carry ``types``; the size's default unless that is too few."""
    for topics in range(min(DEFAULT_TOPICS[size], available), available + 1):
        if _fits(types, topics, size):
            return topics
    most = next(n for n in count(1) if not _fits(_deal_types(n, 0)[0], available, size)) - 1
    raise InvalidInputError(
        f"questions: {types.total() * COHORT_SIZE} per four contexts of size {size} are more than "
        f"{available} topic(s) can carry; accepted: up to about {most * COHORT_SIZE} per four "
        "contexts (fewer questions, or more personas or topics)."
    )


def _fits(types: Counter[str], topics: int, size: str) -> bool:
    """Return whether the threads of ``topics`` topics suffice for these numbers of quads."""
    pairs = [(types[name] + 1) // 2 for name in (schema.ACKNOWLEDGE, schema.RECOMMEND)]
    preference = max(pairs) if size in DENSE_SIZES else sum(pairs)
    threads = {kind: types[name] for name, kind in _KIND_OF_TYPE.items()}
    threads[Kind.PREFERENCE] = max(preference, types[schema.REASONS])
    trait_threads = TRAIT_THREADS if topics > DENSE_TOPICS else 1
    scenarios = trait_threads * SCENARIOS * max(1, topics - _shown_topics(topics))
    return types[schema.GENERALIZE] <= scenarios and all(
        number <= THREADS_PER_TOPIC[kind] * topics for kind, number in threads.items()
    )


def _shown_topics(topics: int) -> int:
    """Return in how many topics a trait is shown, of ``topics`` in the context."""
    return 2 if topics > DENSE_TOPICS else 1


def _deal_topics(
    config: PersonaMemConfig, size: str, counter: "count[int]", wanted: int
) -> tuple[str, ...]:
    """Deal topics round by round, each round all topics in a new order, none twice a group."""
    dealt: list[str] = []
    while len(dealt) < wanted:
        position = next(counter)
        number, index = divmod(position, len(config.topics))
        order = make_rng(config.seed, "topics", size, number).sample(
            config.topics, len(config.topics)
        )
        if order[index] not in dealt:
            dealt.append(order[index])
    return tuple(dealt)


class _ThreadSupply:
    """Hand out thread ids of a kind, always in the topic with the fewest questions so far."""

    def __init__(self, cohort: int, topics: Sequence[str], seed: int) -> None:
        self._prefix = f"c{cohort:03d}"
        self._used: Counter[tuple[str, str]] = Counter()
        self._load: Counter[str] = Counter()
        order = make_rng(seed, "supply").sample(topics, len(topics))
        self._rank = {topic: rank for rank, topic in enumerate(order)}

    def take(self, kind: Kind) -> tuple[str, str]:
        """Return (thread id, topic) of an unused thread."""
        free = [t for t in self._rank if self._used[kind, t] < THREADS_PER_TOPIC[kind]]
        topic = min(free, key=lambda t: (self._load[t], self._rank[t]))
        number = self._used[kind, topic]
        self._used[kind, topic] += 1
        self._load[topic] += 1
        return f"{self._prefix}-{topic}-{kind}-{number}", topic

    def add_load(self, topic: str) -> None:
        """Count one more question for ``topic``."""
        self._load[topic] += 1


class _QuadList:
    """Collect the quads of a group under running ids."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self.quads: list[QuadPlan] = []

    def add(
        self,
        question_type: str,
        thread: tuple[str, str],
        position: str = AFTER,
        paired: bool = False,
        scenario: int = 0,
    ) -> None:
        quad_id = f"{self._prefix}-q{len(self.quads):03d}"
        thread_id, topic = thread
        self.quads.append(
            QuadPlan(quad_id, question_type, thread_id, topic, position, paired, scenario)
        )


def _plan_group(
    config: PersonaMemConfig,
    size: str,
    group: int,
    topics: tuple[str, ...],
    types: Counter[str],
    seed: int,
) -> GroupPlan:
    cohort = group
    supply = _ThreadSupply(cohort, topics, seed)
    quads = _QuadList(f"{size}-g{group:03d}")
    preference: list[tuple[str, str]] = []
    for question_type in (schema.ACKNOWLEDGE, schema.RECOMMEND):
        threads = preference if size in DENSE_SIZES else []
        for pair in range((types[question_type] + 1) // 2):
            if pair == len(threads):
                threads.append(supply.take(Kind.PREFERENCE))
            paired = 2 * pair + 1 < types[question_type]
            for position in (BEFORE, AFTER) if paired else (AFTER,):
                quads.add(question_type, threads[pair], position, paired)
                supply.add_load(threads[pair][1])
        if threads is not preference:
            preference.extend(threads)
    while len(preference) < types[schema.REASONS]:
        preference.append(supply.take(Kind.PREFERENCE))
    for thread in make_rng(seed, "reasons").sample(preference, types[schema.REASONS]):
        quads.add(schema.REASONS, thread)
        supply.add_load(thread[1])
    for question_type, kind in _KIND_OF_TYPE.items():
        for _ in range(types[question_type]):
            quads.add(question_type, supply.take(kind))
    trait_topics = _plan_traits(quads, cohort, topics, types[schema.GENERALIZE], seed)
    return GroupPlan(size, group, cohort, topics, tuple(quads.quads), trait_topics)


def _plan_traits(
    quads: _QuadList, cohort: int, topics: tuple[str, ...], wanted: int, seed: int
) -> dict[str, tuple[str, ...]]:
    """Add the generalizing questions, each in a topic where its traits are not shown."""
    random = make_rng(seed, "traits")
    shown: dict[str, tuple[str, ...]] = {}
    supplies: list[tuple[str, list[tuple[str, int]]]] = []
    threads = TRAIT_THREADS if len(topics) > DENSE_TOPICS else 1
    for number in range(min(threads, wanted)):
        thread_id = f"c{cohort:03d}-trait-{number}"
        order = random.sample(topics, len(topics))
        split = _shown_topics(len(topics))
        shown[thread_id] = tuple(order[:split])
        elsewhere = order[split:] or order
        turns = [random.sample(range(SCENARIOS), SCENARIOS) for _ in elsewhere]
        rounds = [
            (topic, turn[i])
            for i in range(SCENARIOS)
            for topic, turn in zip(elsewhere, turns, strict=True)
        ]
        supplies.append((thread_id, rounds))
    for number in range(wanted):
        thread_id, rounds = supplies[number % len(supplies)]
        topic, scenario = rounds[number // len(supplies)]
        quads.add(schema.GENERALIZE, (thread_id, topic), scenario=scenario)
    return shown
