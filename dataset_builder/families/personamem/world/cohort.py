"""Cohorts: four personas, their calendar, the threads they share and each one's facts."""

from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from personamem.dataset_builder.core.people import FIRST_DAY, Persona, draw_persona
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.packs import load_topic, topic_names
from personamem.dataset_builder.families.personamem.world.facts import Fact, derive_facts
from personamem.dataset_builder.families.personamem.world.threads import (
    Thread,
    draw_topic_threads,
    draw_trait_threads,
)
from personamem.loaders.formats.schema import COHORT_SIZE

PERIOD_OFFSETS = (0, 7, 30, 365)
"""Days from the start of a topic to its four periods: start, next week, next month, next year."""


@dataclass(frozen=True, slots=True)
class Cohort:
    """All that is true of four personas.

    ``facts[persona_index]`` maps the ids of threads to the facts of that persona.
    """

    number: int
    personas: tuple[Persona, ...]
    dates: dict[str, tuple[date, ...]]
    threads: dict[str, Thread]
    facts: tuple[dict[str, tuple[Fact, ...]], ...]


@lru_cache(maxsize=32)
def build_cohort(seed: int, number: int) -> Cohort:
    """Return cohort ``number`` of the world ``seed``: persona ``4 * number`` and the next three."""
    personas = _draw_distinct_personas(seed, number)
    dates = _draw_calendar(seed, number)
    threads: dict[str, Thread] = {}
    for topic in topic_names():
        for thread in draw_topic_threads(seed, number, load_topic(topic)):
            threads[thread.thread_id] = thread
    for thread in draw_trait_threads(seed, number, topic_names()):
        threads[thread.thread_id] = thread
    facts = tuple(
        {
            thread_id: derive_facts(
                thread,
                persona,
                persona_index,
                dates,
                make_rng(seed, "facts", number, persona_index, thread_id),
            )
            for thread_id, thread in threads.items()
        }
        for persona_index, persona in enumerate(personas)
    )
    return Cohort(number, personas, dates, threads, facts)


def _draw_distinct_personas(seed: int, number: int) -> tuple[Persona, ...]:
    first = COHORT_SIZE * number
    return tuple(draw_persona(seed, first + persona_index) for persona_index in range(COHORT_SIZE))


def _draw_calendar(seed: int, number: int) -> dict[str, tuple[date, ...]]:
    """Return the dates of each topic's four periods. Periods of all topics lie close together."""
    random = make_rng(seed, "calendar", number)
    start = FIRST_DAY + timedelta(days=random.randrange(500))
    calendar = {}
    for topic in topic_names():
        offset = random.randrange(7)
        calendar[topic] = tuple(
            start + timedelta(days=offset + days + (random.randrange(5) if days > 7 else 0))
            for days in PERIOD_OFFSETS
        )
    return calendar
