"""The check of profiles: twenty planted contradictions, each flagged with its reason."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from personamem.dataset_builder.families.personalens.rules import check_profile, check_profiles
from personamem.dataset_builder.families.personalens.users import User
from personamem.loaders.personalens import load_personalens
from personamem.loaders.personalens.schema import Preference, Profile

Change = Callable[[Profile], Profile]


def demographics(**values: str) -> Change:
    return lambda profile: replace(profile, demographics=replace(profile.demographics, **values))


def prefer(**values: str | list[str]) -> Change:
    """Return a change of the preferences of some types: their names with "_" for spaces."""

    def change(profile: Profile) -> Profile:
        wanted = {name.replace("__", ": ").replace("_", " "): v for name, v in values.items()}
        preferences = []
        for each in profile.preferences:
            value = wanted.pop(f"{each.domain}: {each.type}", None)
            if value is not None:
                given = (value,) if isinstance(value, str) else tuple(value)
                each = replace(each, values=given)
            preferences.append(each)
        assert not wanted, wanted
        return replace(profile, preferences=tuple(preferences))

    return change


def both(*changes: Change) -> Change:
    def change(profile: Profile) -> Profile:
        for each in changes:
            profile = each(profile)
        return profile

    return change


YOUNG, OLD = "18-24 years old", "65+ years old"
PLANTED = {
    "retired and young": (
        demographics(age=YOUNG, employment_status="Retired"),
        "retired before the age of 55",
    ),
    "old student": (demographics(age=OLD, employment_status="Student"), "a student above"),
    "young graduate": (
        demographics(age=YOUNG, education="Graduate / Professional degree"),
        "graduate degree below",
    ),
    "young widow": (demographics(age=YOUNG, marital_status="Widowed"), "widowed below"),
    "native without English": (
        demographics(birth_country="Canada", english_proficiency="Basic"),
        "weak English",
    ),
    "student without school": (
        demographics(age=YOUNG, employment_status="Student", education="Completed Primary School"),
        "without secondary school",
    ),
    "first class and hostel": (
        prefer(Flights__Cabin="first class", Hotels__Category="a hostel"),
        "spending: ",
    ),
    "early bird at midnight": (
        prefer(**{"Alarm__Wake-up_Time": "5:30 AM"}, Games__Playing_Time=["late at night"]),
        "time of day: ",
    ),
    "vegan with lamb": (
        prefer(Restaurants__Diet="vegan", Restaurants__Favourite_Dishes=["grilled lamb"]),
        "diet: ",
    ),
    "kosher with seafood": (
        prefer(Restaurants__Diet="kosher", Restaurants__Favourite_Dishes=["seafood platters"]),
        "diet: ",
    ),
    "alone with children": (
        prefer(Events__Company="with the children", Travel__Travel_Company="alone"),
        "company: ",
    ),
    "single with a spouse": (
        both(
            demographics(marital_status="Never been married"),
            prefer(Messaging__Frequent_Contacts=["a spouse"]),
        ),
        "marital status: ",
    ),
    "retired with meetings": (
        both(
            demographics(age=OLD, employment_status="Retired", marital_status="Married"),
            prefer(Calendar__Usual_Entries=["team meetings"]),
        ),
        "employment: ",
    ),
    "two tones": (
        prefer(
            Messaging__Tone="short and to the point", Messaging__Messaging_Apps=["voice messages"]
        ),
        "voice messages are not short",
    ),
    "standing at the theatre": (
        prefer(
            Events__Place_in_the_Audience="standing room",
            Events__Kinds_of_Events=["theatre plays"],
        ),
        "nobody stands through a play",
    ),
    "hostel with a sauna": (
        prefer(Hotels__Category="two stars", Hotels__Amenities=["a sauna"]),
        "simple houses",
    ),
    "author of another genre": (
        prefer(Books__Book_Genres=["poetry"]),
        "which is not among the preferences",
    ),
    "a value twice": (
        prefer(Music__Music_Genres=["jazz", "jazz"]),
        "lists 'jazz' more than once",
    ),
    "an unknown value": (prefer(Rental_Cars__Fuel="steam"), "unknown value 'steam'"),
    "two values of one": (prefer(Train__Class=["first class", "second class"]), "has 2 values"),
}


@pytest.fixture(scope="module")
def profile(users: list[User]) -> Profile:
    """A profile without contradictions, of somebody whom the planted ones fit."""
    return next(
        user.profile
        for user in users
        if user.profile.demographics.employment_status == "Working full-time"
        and user.profile.demographics.age == "35-44 years old"
        and user.profile.demographics.marital_status == "Married"
        and user.profile.demographics.birth_country == "United States"
    )


def test_there_are_twenty_planted_contradictions(profile: Profile) -> None:
    assert len(PLANTED) == 20
    assert check_profile(profile) == []


@pytest.mark.parametrize("name", list(PLANTED))
def test_a_planted_contradiction_is_flagged_with_its_reason(profile: Profile, name: str) -> None:
    change, reason = PLANTED[name]
    flags = check_profile(change(profile))
    assert {flag.user_id for flag in flags} == {profile.user_id}
    assert any(reason in flag.reason for flag in flags), flags


def test_flags_name_the_user_alone_who_is_at_fault(users: list[User]) -> None:
    profiles = [user.profile for user in users[:30]]
    change, _ = PLANTED["an unknown value"]
    profiles[7] = change(profiles[7])
    assert [flag.user_id for flag in check_profiles(profiles)] == [profiles[7].user_id]


DIET, MEALS = "Dietary Needs", "Best Meals"


def make_foreign(profile: Profile, *preferences: tuple[str, str, list[str]]) -> Profile:
    given = tuple(
        Preference(domain, name, "list", tuple(values)) for domain, name, values in preferences
    )
    return replace(profile, preferences=given)


def test_other_sets_are_checked_by_the_texts_of_their_values(profile: Profile) -> None:
    foreign = make_foreign(
        profile,
        ("Restaurants", DIET, ["Lactose-free"]),
        ("Restaurants", MEALS, ["Cheese fondue", "Soup of the day"]),
        # A type of ours by chance, with values of its own.
        ("Books", "Reading Format", ["on stone", "on clay", "on bark", "on silk"]),
    )
    (flag,) = check_profile(foreign)
    assert flag.rule == "traits"
    assert "'Cheese fondue' (Restaurants, Best Meals) does not go with" in flag.reason


@pytest.mark.parametrize(
    ("demographics_of", "preferences", "reason"),
    [
        ({}, [("Restaurants", DIET, ["Vegan"]), ("Restaurants", MEALS, ["Steakhouse"])], "vegans"),
        ({}, [("Restaurants", DIET, ["vegetarian", "none"])], "a diet is a restriction"),
        ({}, [("Flights", "Stops", ["non-stop", "long layover"])], "without a stop"),
        (
            {"marital_status": "Never been married"},
            [("Messaging", "Contacts", ["my wife"])],
            "never married",
        ),
        (
            {"employment_status": "Retired", "age": OLD},
            [("Calendar", "Kinds", ["Work meetings"])],
            "retired people",
        ),
        ({"age": YOUNG}, [("Messaging", "Contacts", ["grandchildren"])], "no grandchildren"),
    ],
)
def test_words_are_checked_in_any_set(
    profile: Profile,
    demographics_of: dict[str, str],
    preferences: list[tuple[str, str, list[str]]],
    reason: str,
) -> None:
    foreign = make_foreign(profile, *preferences)
    assert check_profile(foreign) == [] or not demographics_of
    flags = check_profile(demographics(**demographics_of)(foreign))
    assert any(flag.rule == "words" and reason in flag.reason for flag in flags), flags


def test_a_former_colleague_is_no_colleague(profile: Profile) -> None:
    foreign = make_foreign(profile, ("Messaging", "Contacts", ["a former colleague"]))
    assert check_profile(demographics(employment_status="Retired", age=OLD)(foreign)) == []


def test_few_users_of_the_official_release_are_flagged() -> None:
    specimen = Path(__file__).parents[5] / "shared/reference/personalens"
    if not specimen.exists():
        pytest.skip(f"the official specimen is not at {specimen}")
    flags = check_profiles(load_personalens(specimen).profiles)
    assert len({flag.user_id for flag in flags}) <= 3, flags
