"""People that are drawn: their shares are the published ones, their attributes fit together."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

import pytest

from personamem.dataset_builder.core.homes import draw_home, list_homes
from personamem.dataset_builder.core.people import (
    FIRST_DAY,
    Persona,
    contradiction,
    draw_persona,
    draw_user,
    people_tables,
)

SAMPLE = 1_000


@pytest.fixture(scope="module")
def personas() -> list[Persona]:
    return [draw_persona(11, number) for number in range(SAMPLE)]


def test_a_persona_is_fixed_by_seed_and_number() -> None:
    assert draw_persona(3, 8) == draw_persona(3, 8)
    assert draw_persona(3, 8) != draw_persona(4, 8)
    assert draw_persona(3, 8) != draw_persona(3, 9)


def test_shares_follow_the_published_ones(personas: Sequence[Persona]) -> None:
    regions = Counter(persona.region for persona in personas)
    for region, share in people_tables()["shares"]["region"].items():
        assert regions[region] / SAMPLE == pytest.approx(share / 100, abs=0.045), region
    male = sum(persona.gender == "male" for persona in personas) / SAMPLE
    assert male == pytest.approx(0.505, abs=0.05)


def test_attributes_do_not_contradict_each_other(personas: Sequence[Persona]) -> None:
    for persona in personas:
        age = persona.age_on(FIRST_DAY)
        assert 18 <= age <= 84
        assert not (persona.employment == "retired" and age < 55)
        assert not (persona.employment == "student" and age > 34)
        assert not (persona.marital_status == "widowed" and age < 50)
        assert not (persona.education == "a graduate degree" and age < 25)
        assert bool(persona.occupation) == persona.employment.startswith("employed")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"employment": "retired", "age": "25-34"}, "retired"),
        ({"employment": "student", "age": "35-44"}, "student above 34"),
        ({"marital_status": "widowed", "age": "18-24"}, "too young"),
        ({"english": "intermediate"}, "English"),
    ],
)
def test_contradictions_are_named(change: dict[str, str], reason: str) -> None:
    plausible = {
        "age": "35-44",
        "gender": "female",
        "ethnicity": "White",
        "religion": "",
        "employment": "employed full-time",
        "education": "vocational training",
        "marital_status": "divorced",
        "english": "native",
        "region": "the United Kingdom",
    }
    assert contradiction(plausible) == ""
    assert reason in contradiction(plausible | change)


def test_the_sentence_names_age_role_and_place(personas: Sequence[Persona]) -> None:
    for persona in personas[:200]:
        sentence = persona.sentence_on(FIRST_DAY)
        age = persona.age_on(FIRST_DAY)
        assert sentence.startswith(
            f"{persona.first_name} is a{'n' * (age in (18, *range(80, 90)))} "
        )
        assert f"{age}-year-old" in sentence
        assert persona.town in sentence


def test_users_write_english_as_a_second_language() -> None:
    for number in range(200):
        home = draw_home(5, number // 4)
        user = draw_user(5, number, home)
        assert user.english != "native"
        assert (user.region, user.country) == (home.region, home.country)
        assert user.town in home.towns
        assert user.first_name in {*home.names.she, *home.names.he}
        assert (user.field in ("home", "study")) == (not user.occupation)


def test_age_grows_with_the_years(personas: Sequence[Persona]) -> None:
    persona = personas[0]
    birthday = persona.born.replace(year=2024)
    assert persona.age_on(birthday) == 2024 - persona.born.year
    assert persona.age_on(date(2024, 12, 31)) - persona.age_on(date(2023, 12, 31)) == 1


def test_nobody_young_has_a_shop_or_leads_others() -> None:
    users = [draw_user(7, number, list_homes()["Germany"]) for number in range(400)]
    senior = [user for user in users if "owner" in user.occupation or "leader" in user.occupation]
    assert senior
    assert all(user.age_on(FIRST_DAY) >= 27 for user in senior)


def test_homes_have_names_of_their_own_for_those_mentioned_in_passing() -> None:
    assert sum(home.share for home in list_homes().values()) == 100
    for home in list_homes().values():
        assert set(home.names.list_others("")).isdisjoint({*home.names.she, *home.names.he}), (
            home.country
        )
