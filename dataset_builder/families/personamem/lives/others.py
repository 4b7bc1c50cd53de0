"""Other people: whom the four personas of a cohort know, by the same names."""

from dataclasses import dataclass
from random import Random

from personamem.dataset_builder.core.people import (
    Contact,
    draw_persona,
    name_tables,
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


def draw_circle(seed: int, cohort: int) -> Circle:
    """Return the people of a cohort.

    A question may name one of them, and reads the same for all four personas; so they are shared.
    """
    random = make_rng(seed, "contacts", cohort)
    tables = people_tables()
    taken = set(tables["acquaintances"])
    taken |= {draw_persona(seed, COHORT_SIZE * cohort + i).first_name for i in range(COHORT_SIZE)}
    kinds = [(sex, kind) for sex, kinds in tables["relatives"].items() for kind in kinds]
    # Twice: people have several friends.
    kinds += [(random.choice(("she", "he")), kind) for kind in 2 * tables["friends"]]
    people = []
    for sex, kind in kinds:
        name = _draw_name(sex, taken, random)
        people.append(Contact(f"my {kind} {name}", name, sex))
    num_bystanders = len(tables["friends"])
    return Circle(tuple(people[:-num_bystanders]), tuple(people[-num_bystanders:]))


def _draw_name(sex: str, taken: set[str], random: Random) -> str:
    tables = name_tables()
    while True:
        name = random.choice(tables[random.choice(sorted(tables))][sex])
        if name not in taken:
            taken.add(name)
            return name
