"""Personas: who the users are. Static attributes never contradict each other or a text of the bank.

Demographic shares follow the 1,500 profiles of PersonaLens (arXiv 2506.09902, Tables 10-13).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.core.grammar import with_article
from personamem.dataset_builder.core.homes import Home
from personamem.dataset_builder.core.rng import draw_weighted, make_rng

_CONTENT = Path(__file__).parent / "content"

Names = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Contact:
    """Somebody the user talks about. ``phrase`` is how: "my sister Lena"; ``sex`` "she" or "he"."""

    phrase: str
    name: str
    sex: str


@dataclass(frozen=True, slots=True)
class Persona:
    """One user. Empty strings are attributes that the persona does not state.

    ``field`` is the field of work: one of those of ``occupations`` in people.yaml, "study", or
    "home" without work.
    """

    persona_id: int
    name: str
    first_name: str
    born: date
    gender: str
    ethnicity: str
    religion: str
    employment: str
    occupation: str
    field: str
    education: str
    marital_status: str
    english: str
    region: str
    country: str
    town: str

    def age_on(self, day: date) -> int:
        """Return the age in years on ``day``."""
        had_birthday = (day.month, day.day) >= (self.born.month, self.born.day)
        return day.year - self.born.year - (not had_birthday)

    def sentence_on(self, day: date) -> str:
        """Return the persona in one sentence, as of ``day``."""
        role = self.occupation or {
            "student": "student",
            "retired": "retiree",
            "homemaker": "homemaker",
        }.get(self.employment, "resident")
        place = f"{role} from {self.town}" if role != "resident" else f"resident of {self.town}"
        age = with_article(f"{self.age_on(day)}-year-old")
        return f"{self.first_name} is {age} {place}."


@cache
def people_tables() -> Mapping[str, Any]:
    """Return content/people.yaml: shares in percent, and tables of places, names, occupations."""
    tables: Mapping[str, Any] = read_yaml(_CONTENT / "people.yaml")
    return tables


@cache
def name_tables() -> Mapping[str, Names]:
    """Return content/names.yaml: first names by sex ("she", "he") and last names, by region."""
    tables: Mapping[str, Names] = read_yaml(_CONTENT / "names.yaml")
    return tables


@cache
def list_acquaintances() -> Mapping[str, str]:
    """Return first names that nobody of a world has, each with its sex ("she", "he")."""
    tables = people_tables()["acquaintances"]
    return {name: sex for sex, names in tables.items() for name in names}


def list_occupations(education: Literal["any", "degree"]) -> list[str]:
    """Return the occupations that need no degree, or one."""
    return [job for jobs in people_tables()["occupations"][education].values() for job in jobs]


def draw_persona(seed: int, persona_id: int) -> Persona:
    """Return persona ``persona_id`` of the world ``seed``; the same arguments give the same one."""
    random = make_rng(seed, "persona", persona_id)
    shares = people_tables()["shares"]
    # The region comes first and is kept: rejection would starve regions with rare combinations.
    name = draw_weighted(shares["region"], random)
    region = people_tables()["regions"][name]
    names = name_tables()[region["names"]]
    place = _Place(name, names.__getitem__, names["last"], region["towns"])
    return _draw(persona_id, shares, place, random)


def draw_user(seed: int, persona_id: int, home: Home) -> Persona:
    """Return a persona of a country who chats with an assistant, by the shares of ``users``."""
    tables = people_tables()
    random = make_rng(seed, "persona", persona_id)
    towns = dict.fromkeys(home.towns, home.country)
    place = _Place(home.region, home.names.list_first, home.names.last, towns)
    return _draw(persona_id, tables["shares"] | tables["users"], place, random)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a persona lives: towns with their countries, and the names of people there."""

    region: str
    list_first: Callable[[str], Sequence[str]]
    last: Sequence[str]
    towns: Mapping[str, str]


def _draw(
    persona_id: int, shares: Mapping[str, Mapping[str, float]], place: _Place, random: Random
) -> Persona:
    drawn = _draw_demographics(shares, place.region, random)
    first_name = random.choice(place.list_first(_draw_sex(drawn["gender"], random)))
    last_name = random.choice(place.last)
    low, high = map(int, drawn["age"].split("-"))
    low = max(low, _LOWEST_AGE.get(drawn["education"], 0), _LOWEST_AGE[drawn["marital_status"]])
    has_degree = drawn["education"] in ("a bachelor's degree", "a graduate degree")
    works = drawn["employment"].startswith("employed")
    town = random.choice(list(place.towns))
    field, occupation = ("study" if drawn["employment"] == "student" else "home"), ""
    age = random.randint(min(low, high), high)
    if works:
        occupations = people_tables()["occupations"]["degree" if has_degree else "any"]
        field = random.choice(list(occupations))
        occupation = random.choice(
            [job for job in occupations[field] if age >= _SENIOR_AGE or not _SENIOR.search(job)]
        )
    return Persona(
        persona_id=persona_id,
        name=f"{first_name} {last_name}",
        first_name=first_name,
        born=_draw_birthday(age, random),
        gender=drawn["gender"],
        ethnicity=drawn["ethnicity"],
        religion=drawn["religion"],
        employment=drawn["employment"],
        occupation=occupation,
        field=field,
        education=drawn["education"],
        marital_status=drawn["marital_status"],
        english=drawn["english"],
        region=drawn["region"],
        country=place.towns[town],
        town=town,
    )


def contradiction(drawn: Mapping[str, str]) -> str:
    """Return why these demographics cannot belong to one person, or an empty string.

    ``drawn`` maps attribute names to values as in people.yaml, ``age`` to a range "25-34".
    """
    high = int(drawn["age"].split("-")[1])
    low = int(drawn["age"].split("-")[0])
    if drawn["employment"] == "retired" and low < 55:
        return "retired below 55"
    if drawn["employment"] == "student" and low > 34:
        return "student above 34"
    if low >= 65 and drawn["employment"] not in ("retired", "", "homemaker", "employed part-time"):
        return "in full working life above 64"
    if high < _LOWEST_AGE.get(drawn["education"], 0) or high < _LOWEST_AGE[drawn["marital_status"]]:
        return "too young for the education or marital status"
    if drawn["education"] == "some years at university" and drawn["employment"] == "retired":
        return "unfinished studies and retired"
    native = ("the United States", "the United Kingdom", "Australia or New Zealand", "Canada")
    if (drawn["english"] == "native") != (drawn["region"] in native):
        return "native English and the region"
    likely = _REGIONAL_ETHNICITY.get(drawn["region"])
    if likely and drawn["ethnicity"] not in likely:
        return "ethnicity and the names of the region"
    return ""


_LOWEST_AGE = {
    "a bachelor's degree": 22,
    "a graduate degree": 25,
    "vocational training": 20,
    "divorced": 28,
    "widowed": 50,
    "never married": 0,
    "": 0,
}
_REGIONAL_ETHNICITY = {
    "Latin America": {"Hispanic or Latino", "White", "Mixed", ""},
    "Africa": {"Black or African", ""},
    "Asia": {"Asian", ""},
    "the Middle East": {"Middle Eastern or Arab", "White", ""},
    "continental Europe": {"White", "Mixed", "Black or African", ""},
}


_SENIOR = re.compile(r"owner|manager|leader|teacher|lecturer|planner")
_SENIOR_AGE = 27
"""Occupations that nobody has at once, and the age from which somebody may have them."""

FIRST_DAY = date(2023, 1, 9)
"""The earliest day on which a story begins; ages are drawn for it."""


def _draw_birthday(age: int, random: Random) -> date:
    return date(FIRST_DAY.year - age, FIRST_DAY.month, 1) - timedelta(days=random.randrange(334))


def _draw_demographics(
    shares: Mapping[str, Mapping[str, float]], region: str, random: Random
) -> dict[str, str]:
    while True:
        drawn = {name: draw_weighted(table, random) for name, table in shares.items()}
        drawn["region"] = region
        if not contradiction(drawn):
            return drawn


def _draw_sex(gender: str, random: Random) -> str:
    female = gender == "female" or (gender != "male" and random.random() < 0.5)
    return "she" if female else "he"
