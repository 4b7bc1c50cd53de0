"""Other people: whom the four personas of a cohort know, by the same names."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from personamem.dataset_builder.core.homes import draw_home
from personamem.dataset_builder.core.people import (
    Contact,
    Persona,
    draw_user,
    people_tables,
)
from personamem.dataset_builder.core.rng import make_rng
from personamem.loaders.formats.schema import COHORT_SIZE


@dataclass(frozen=True, slots=True)
class Circle:
    """The people of a cohort, each with a name of their own.

    ``contacts`` are those whom stories are about, twelve of them; ``bystanders`` only ever add to
    what is told.
    """

    contacts: tuple[Contact, ...]
    bystanders: tuple[Contact, ...]


def draw_cohort(seed: int, cohort: int) -> tuple[Persona, ...]:
    """Return the four personas of a cohort, of one country."""
    home = draw_home(seed, cohort)
    first = COHORT_SIZE * cohort
    return tuple(draw_user(seed, first + index, home) for index in range(COHORT_SIZE))


def draw_circle(seed: int, cohort: int) -> Circle:
    """Return the people of a cohort.

    A question may name one of them, and reads the same for all four personas; so they are shared.
    """
    random = make_rng(seed, "contacts", cohort)
    tables = people_tables()
    taken = {persona.first_name for persona in draw_cohort(seed, cohort)}
    names = draw_home(seed, cohort).names
    kinds = [(sex, kind) for sex, kinds in tables["relatives"].items() for kind in kinds]
    # Twice: people have several friends.
    kinds += [(random.choice(("she", "he")), kind) for kind in 2 * tables["friends"]]
    people = []
    for sex, kind in kinds:
        name = _draw_name(names.list_first(sex), taken, random)
        people.append(Contact(f"my {kind} {name}", name, sex))
    num_bystanders = len(tables["friends"])
    return Circle(tuple(people[:-num_bystanders]), tuple(people[-num_bystanders:]))


def _draw_name(names: Sequence[str], taken: set[str], random: Random) -> str:
    while True:
        name = random.choice(names)
        if name not in taken:
            taken.add(name)
            return name
