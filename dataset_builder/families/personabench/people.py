"""The members of a community: who they are, and the facts about them that others share.

Test users are personas of the same world as the other questions. Everybody else is drawn to fit the
edges that tie them in: a sister has the surname and the birthplace, a colleague the company.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from random import Random
from typing import Any

from personamem.dataset_builder.core.grammar import with_article
from personamem.dataset_builder.core.people import (
    Persona,
    draw_persona,
    list_acquaintances,
    list_occupations,
    name_tables,
    people_tables,
)
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.attributes import Grounded
from personamem.dataset_builder.families.personabench.shared_content import load_content

FIRST_DAY = date(2025, 3, 3)
"""The day before which no document is dated; ages are those of this day."""

_STATED_EDUCATION = ("a bachelor's degree", "a graduate degree", "vocational training")
_STATED_EMPLOYMENT = ("employed full-time", "employed part-time")
_GENDERS = {"she": "female", "he": "male"}


@dataclass(frozen=True, slots=True)
class Member:
    """One person. ``sex`` is "she" or "he"; empty strings are things that do not apply.

    Countries are as they stand in a sentence ("the Netherlands"); ``persona`` is one sentence.
    """

    name: str
    first_name: str
    last_name: str
    sex: str
    age: int
    region: str
    town: str
    birth_town: str
    job_status: str
    profession: str
    company: str
    education: str
    persona: str = ""
    facts: Mapping[Grounded, str | int] = field(default_factory=dict)


def draw_users(seed: int, number: int, count: int) -> list[Member]:
    """Return ``count`` personas of the world ``seed`` with work and an education to ask about."""
    random = make_rng(seed, "community", number, "users")
    users: list[Member] = []
    while len(users) < count:
        persona = draw_persona(seed, random.randrange(1_000_000))
        if _has_much_to_ask(persona) and not _clashes(persona.name, users):
            users.append(_as_member(persona, random))
    return users


def draw_relative(
    random: Random, like: Member, sex: str, age: int, same_birthplace: bool
) -> Member:
    """Return somebody with the surname of ``like``, born in the same country."""
    countries = _towns(like.region)
    country = countries[like.birth_town]
    births = [town for town in countries if countries[town] == country]
    born = like.birth_town if same_birthplace else random.choice(births)
    return _draw(random, like.region, sex, age, last_name=like.last_name, birth_town=born)


def draw_stranger(random: Random, region: str, works: bool) -> Member:
    """Return somebody of a region; with ``works`` of working age and employed."""
    age = random.randint(24, 62) if works else random.randint(19, 78)
    return _draw(random, region, random.choice(("she", "he")), age, works=works)


def settle_facts(
    members: Sequence[Member], employed_with: Mapping[int, int], seed: int, number: int
) -> list[Member]:
    """Return the members with companies, schools and all other grounded facts, and a persona.

    ``employed_with`` maps a member to an earlier one at the same company; all other companies,
    workplaces and schools are one person's.
    """
    random = make_rng(seed, "community", number, "facts")
    content = load_content()
    companies = random.sample(content.companies, len(members))
    workplaces = random.sample(content.workplaces, len(members))
    schools = {kind: random.sample(names, len(names)) for kind, names in content.schools.items()}
    settled: list[Member] = []
    for position, (member, workplace) in enumerate(zip(members, workplaces, strict=True)):
        if position in employed_with:
            member = replace(member, company=settled[employed_with[position]].company)
        elif member.job_status.startswith("employed"):
            member = replace(member, company=companies[position])
        facts = _gather(member, workplace, random) | _draw_schooling(member, schools, random)
        settled.append(
            replace(member, facts=facts, persona=member.persona or _describe(member, random))
        )
    return settled


def _has_much_to_ask(persona: Persona) -> bool:
    # Basic questions of the official test users are 18 of 21 attributes on average.
    return (
        persona.employment in _STATED_EMPLOYMENT
        and persona.education in _STATED_EDUCATION
        and persona.gender in _GENDERS.values()
        and persona.age_on(FIRST_DAY) >= 24
    )


def _clashes(name: str, members: Iterable[Member]) -> bool:
    words = set(name.split())
    reserved = list_acquaintances().keys()
    return bool(words & reserved) or any(words & set(member.name.split()) for member in members)


def _as_member(persona: Persona, random: Random) -> Member:
    return Member(
        name=persona.name,
        first_name=persona.first_name,
        last_name=persona.name.removeprefix(persona.first_name).strip(),
        sex="she" if persona.gender == "female" else "he",
        age=persona.age_on(FIRST_DAY),
        region=persona.region,
        town=persona.town,
        birth_town=random.choice(list(_towns(persona.region))),
        job_status=persona.employment,
        profession=persona.occupation,
        company="",
        education=persona.education,
        persona=persona.sentence_on(FIRST_DAY),
    )


def _draw(
    random: Random,
    region: str,
    sex: str,
    age: int,
    *,
    last_name: str = "",
    birth_town: str = "",
    works: bool = False,
) -> Member:
    names = name_tables()[people_tables()["regions"][region]["names"]]
    reserved = list_acquaintances()
    first = random.choice([name for name in names[sex] if name not in reserved])
    last = last_name or random.choice(names["last"])
    towns = list(_towns(region))
    status = _draw_status(random, age, works)
    education = _draw_education(random, age, status)
    degree = education in ("a bachelor's degree", "a graduate degree")
    return Member(
        name=f"{first} {last}",
        first_name=first,
        last_name=last,
        sex=sex,
        age=age,
        region=region,
        town=random.choice(towns),
        birth_town=birth_town or random.choice(towns),
        job_status=status,
        profession=random.choice(list_occupations("degree" if degree else "any"))
        if _works(status)
        else "",
        company="",
        education=education,
    )


def _draw_status(random: Random, age: int, works: bool) -> str:
    if works:
        return random.choice(("employed full-time", "employed full-time", "employed part-time"))
    if age >= 66:
        return "retired"
    if age <= 22:
        return "student"
    statuses = ("employed full-time", "employed part-time", "self-employed", "unemployed")
    return random.choices(statuses, (60, 15, 17, 8))[0]


def _draw_education(random: Random, age: int, status: str) -> str:
    if status == "student":
        return "some years at university"
    kinds = (*_STATED_EDUCATION, "some years at university")
    weights = (45, 20 if age >= 27 else 0, 25, 10)
    return random.choices(kinds, weights)[0]


def _works(status: str) -> bool:
    return status.startswith("employed") or status == "self-employed"


def _gather(member: Member, workplace: str, random: Random) -> dict[Grounded, str | int]:
    towns = _towns(member.region)
    birth_country = towns[member.birth_town]
    facts: dict[Grounded, str | int] = {
        "gender": _GENDERS[member.sex],
        "age": member.age,
        "birthplace": member.birth_town,
        "birth_country": birth_country,
        "residence": member.town,
        "residence_country": towns[member.town],
        "nationality": load_content().nationalities[birth_country],
        "job_status": member.job_status,
    }
    if _works(member.job_status):
        facts |= {"profession": member.profession, "workplace": workplace}
    if member.company:
        facts["company"] = member.company
    if member.age >= 24 and member.job_status != "student":
        jobs = [job for job in list_occupations("any") if job != member.profession]
        facts["previous_profession"] = random.choice(jobs)
    return facts


def _draw_schooling(
    member: Member, schools: Mapping[str, list[str]], random: Random
) -> dict[Grounded, str | int]:
    content = load_content()
    way = "vocational" if member.education == "vocational training" else "degree"
    facts: dict[Grounded, str | int] = {
        "school_type": random.choice(content.school_types[way]),
        "degree_subject": random.choice(content.subjects[way]),
        "school_name": schools[way].pop(),
        "school_status": "graduated",
    }
    if member.education == "some years at university":
        enrolled = member.job_status == "student"
        return facts | {"school_status": "still enrolled" if enrolled else "left without a degree"}
    if way == "vocational":
        return facts | {"degree": "vocational diploma"}
    if member.education == "a bachelor's degree":
        return facts | {"degree": "bachelor's degree"}
    doctor = member.age >= 30 and random.random() < 0.4
    return facts | {"degree": "doctorate" if doctor else "master's degree"}


def _describe(member: Member, random: Random) -> str:
    role = member.profession or {"student": "student", "retired": "retiree"}.get(
        member.job_status, "resident"
    )
    age = with_article(f"{member.age}-year-old")
    pastime = random.choice(people_tables()["pastimes"])
    place = "of" if role == "resident" else "from"
    return f"{member.first_name} is {age} {role} {place} {member.town} who {pastime}."


def _towns(region: str) -> dict[str, Any]:
    towns: dict[str, Any] = people_tables()["regions"][region]["towns"]
    return towns
