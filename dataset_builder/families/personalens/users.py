"""Users: everything that is drawn for one of them, from their demographics to their scenarios."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personalens.content_schema import read_domains
from personamem.dataset_builder.families.personalens.demographics import (
    Person,
    declared_shares,
    draw_people,
)
from personamem.dataset_builder.families.personalens.histories import write_histories
from personamem.dataset_builder.families.personalens.preferences import draw_preferences
from personamem.dataset_builder.families.personalens.situations import draw_situation
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.dataset_builder.families.personalens.traits import draw_traits
from personamem.loaders.personalens.schema import Demographics, Profile, Scenario

STUDENT = "Student"
_STUDENTS_INTEREST = {"Finance": 0.0, "Rental Cars": 0.0, "Hotels": 0.06}
_BY_GENDER = {"Sports": {"Male": 1.55, "Female": 0.42}}
"""Factors on the shares of interest; counted in the 1,500 profiles of PersonaLens."""


@dataclass(frozen=True, slots=True)
class User:
    """A user with all scenarios: every task whose domains all interest them."""

    profile: Profile
    scenarios: tuple[Scenario, ...]


def draw_users(seed: int, count: int, first: int, last: int) -> Iterator[User]:
    """Yield the users ``first`` to ``last`` (exclusive) of ``count``."""
    people = draw_people(seed, count)
    for number in range(first, last):
        yield _draw_user(seed, count, number, people[number])


def _draw_user(seed: int, count: int, number: int, person: Person) -> User:
    user_id = f"user{number}"
    tags = draw_traits(person.demographics, _make_rng(seed, "traits", number))
    interests = _draw_interests(seed, count, number, person.demographics)
    drawn = draw_preferences(tags, _make_rng(seed, "preferences", number))
    profile = Profile(
        user_id=user_id,
        demographics=person.demographics,
        interests=interests,
        preferences=tuple(each.preference for each in drawn),
        histories=tuple(
            write_histories(
                drawn,
                person.demographics.gender,
                tags,
                lambda name: _make_rng(seed, "history", number, name),
            )
        ),
    )
    random = _make_rng(seed, "situations", number)
    scenarios = tuple(
        Scenario(user_id, task.task_id, draw_situation(tags, random, person))
        for task, _ in list_tasks()
        if set(task.domains).issubset(interests)
    )
    return User(profile, scenarios)


def _draw_interests(
    seed: int, count: int, number: int, demographics: Demographics
) -> tuple[str, ...]:
    ages = list(declared_shares()["age"])
    random = _make_rng(seed, "interests", number)
    found = []
    for domain in read_domains():
        share = domain.interest[ages.index(demographics.age)]
        if domain.domain in _STUDENTS_INTEREST:
            of_students = _STUDENTS_INTEREST[domain.domain]
            students = _share_students(seed, count)[demographics.age]
            # The others make up for it, so that the share of the age holds.
            others = (share - students * of_students) / (1 - students) if students < 1 else 0.0
            share = of_students if demographics.employment_status == STUDENT else others
        share *= _BY_GENDER.get(domain.domain, {}).get(demographics.gender, 1.0)
        if random.random() < share:
            found.append(domain.domain)
    return tuple(found)


@cache
def _share_students(seed: int, count: int) -> dict[str, float]:
    people = [person.demographics for person in draw_people(seed, count)]
    ages = Counter(each.age for each in people)
    students = Counter(each.age for each in people if each.employment_status == STUDENT)
    return {age: students[age] / ages[age] for age in ages}


def _make_rng(seed: int, *name: object) -> Random:
    return make_rng(seed, "personalens", *name)
