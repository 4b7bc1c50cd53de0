"""Values that belong to nobody asked about: what near misses are made of."""

from collections.abc import Iterable
from functools import cache

from personamem.dataset_builder.core.people import list_occupations, people_tables
from personamem.dataset_builder.families.personabench.attributes import AttributePack, Grounded
from personamem.dataset_builder.families.personabench.profiles import Entry
from personamem.dataset_builder.families.personabench.scenes import TermMatcher
from personamem.dataset_builder.families.personabench.shared_content import load_content


def values_of_nobody(pack: AttributePack, taken: TermMatcher) -> list[Entry]:
    """Return the entries of an attribute in which no value stands that is ``taken``."""
    if pack.named:
        entries = [Entry(value, key) for key, values in pack.named.items() for value in values]
    else:
        values = grounded_values(pack.grounded) if pack.grounded else pack.values
        entries = [Entry(value) for value in values]
    # "pad thai" is out of the question where "thai" is somebody's.
    return [entry for entry in entries if not taken.find(entry.plain)]


@cache
def grounded_values(source: Grounded) -> tuple[str, ...]:
    """Return the values that people may have of a grounded attribute, as they stand in texts."""
    tables, content = people_tables(), load_content()
    towns = {
        town: country for r in tables["regions"].values() for town, country in r["towns"].items()
    }
    jobs = (*list_occupations("any"), *list_occupations("degree"))
    values: dict[Grounded, Iterable[str]] = {
        "gender": ("female", "male"),
        "age": map(str, range(19, 87)),
        "birthplace": towns,
        "birth_country": towns.values(),
        "residence": towns,
        "residence_country": towns.values(),
        "nationality": content.nationalities.values(),
        "previous_profession": jobs,
        "profession": jobs,
        "job_status": (
            "employed full-time",
            "employed part-time",
            "self-employed",
            "unemployed",
            "retired",
        ),
        "workplace": content.workplaces,
        "company": content.companies,
        "school_status": ("graduated", "still enrolled", "left without a degree"),
        "school_type": [t for types in content.school_types.values() for t in types],
        "degree": ("bachelor's degree", "master's degree", "doctorate", "vocational diploma"),
        "degree_subject": [s for subjects in content.subjects.values() for s in subjects],
        "school_name": [name for names in content.schools.values() for name in names],
    }
    return tuple(dict.fromkeys(values[source]))
