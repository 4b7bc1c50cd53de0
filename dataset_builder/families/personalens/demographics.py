"""Demographics that belong together and keep to the declared shares.

Pairs of fields are joint tables: weights of content, fitted to the shares of both fields by
iterative proportional fitting, so that no cell of weight 0 occurs and the shares hold all the same.
Users are then spread over the cells evenly instead of being drawn one by one, so that a set of any
size has the shares as closely as whole people allow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personalens.content_schema import CONTENT
from personamem.loaders.personalens.schema import Demographics

_ROUNDS = 500
_NAMES_IN_CONTENT = {
    "age": "age",
    "gender": "gender",
    "employment_status": "employment",
    "education": "education",
    "marital_status": "marital",
    "english_proficiency": "english",
    "ethnicity": "ethnicity",
    "religion": "religion",
}
"""Fields of demographics and the names of their shares in ``people.yaml``."""


@dataclass(frozen=True, slots=True)
class Person:
    """The demographics of a user, and the town that they live in."""

    demographics: Demographics
    town: str
    other_town: str


@cache
def read_people() -> Mapping[str, Any]:
    """Return ``people.yaml``."""
    people: Mapping[str, Any] = read_yaml(CONTENT / "people.yaml")
    return people


def declared_shares() -> dict[str, dict[str, float]]:
    """Return the declared shares by field and value, each field's adding up to 1."""
    shares = {field: _normalise(read_people()[name]) for field, name in _NAMES_IN_CONTENT.items()}
    regions = _normalise(read_people()["region"])
    countries = read_people()["countries"]
    totals = {
        region: sum(each["share"] for each in countries.values() if each["region"] == region)
        for region in regions
    }
    shares["birth_country"] = {
        name: regions[each["region"]] * each["share"] / totals[each["region"]]
        for name, each in countries.items()
    }
    return shares


@cache
def draw_people(seed: int, count: int) -> tuple[Person, ...]:
    """Return ``count`` people; the same arguments give the same ones."""
    shares = declared_shares()
    random = make_rng(seed, "personalens", "demographics", count)
    ages = _spread(shares["age"], count, random)
    random.shuffle(ages)
    genders = _spread(shares["gender"], count, random)
    random.shuffle(genders)
    countries = _spread(shares["birth_country"], count, random)
    random.shuffle(countries)
    regions = [read_people()["countries"][name]["region"] for name in countries]
    drawn = {"age": ages, "gender": genders, "birth_country": countries}
    drawn["employment_status"] = _draw("employment_status", {"age": ages}, random)
    both = {"age": ages, "employment": drawn["employment_status"]}
    for field in ("education", "marital_status"):
        drawn[field] = _draw(field, both, random)
    for field in ("english_proficiency", "ethnicity", "religion"):
        drawn[field] = _draw(field, {"region": regions}, random)
    people = read_people()
    homes = [
        name if random.random() * 100 < people["stay"] else _move(name, random)
        for name in countries
    ]
    drawn["reside_country"] = homes
    return tuple(
        _settle(Demographics(**{field: values[number] for field, values in drawn.items()}), random)
        for number in range(count)
    )


def _settle(demographics: Demographics, random: Random) -> Person:
    towns = read_people()["countries"][demographics.reside_country]["towns"]
    town, other = random.sample(towns, 2)
    return Person(demographics, town, other)


def _move(country: str, random: Random) -> str:
    return str(random.choice([name for name in read_people()["elsewhere"] if name != country]))


def _draw(field: str, given: Mapping[str, list[str]], random: Random) -> list[str]:
    """Return a value of ``field`` for each person, by what is given of all of them."""
    name = _NAMES_IN_CONTENT[field]
    keys = list(zip(*given.values(), strict=True))
    rows = sorted(set(keys))
    shares = declared_shares()[field]
    values = list(shares)
    weights = np.ones((len(rows), len(values)))
    for place, kind in enumerate(given):
        table = read_people().get(f"{name}_by_{kind}", {})
        for number, row in enumerate(rows):
            for value, weight in table.get(row[place], {}).items():
                weights[number, values.index(value)] *= weight
    weights *= np.array(list(shares.values()))
    sizes = np.array([keys.count(row) for row in rows], dtype=float)
    fitted = fit_table(weights, sizes / sizes.sum(), np.array(list(shares.values())))
    found: dict[tuple[str, ...], list[str]] = {}
    for row, line in zip(rows, fitted, strict=True):
        shares_of_row = dict(zip(values, line / line.sum(), strict=True))
        found[row] = _spread(shares_of_row, keys.count(row), random)
        random.shuffle(found[row])
    return [found[key].pop() for key in keys]


def fit_table(
    weights: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a joint table with these margins that is as near to the weights as can be.

    Iterative proportional fitting (Deming and Stephan 1940). Zeros stay zeros; where they make the
    margins impossible, those of the rows hold and those of the columns nearly.
    """
    table = weights.copy()
    for _ in range(_ROUNDS):
        sums = table.sum(axis=0)
        table *= np.divide(columns, sums, out=np.zeros_like(sums), where=sums > 0)
        table *= (rows / table.sum(axis=1))[:, None]
    return table


def _spread(shares: Mapping[str, float], count: int, random: Random) -> list[str]:
    """Return ``count`` values in the proportions of the shares, to within one of each."""
    values: Sequence[str] = list(shares)
    edges = np.cumsum([shares[value] for value in values])
    points = (np.arange(count) + random.random()) / max(count, 1) * edges[-1]
    places = np.minimum(np.searchsorted(edges, points, side="right"), len(values) - 1)
    return [values[place] for place in places]


def _normalise(table: Mapping[str, float]) -> dict[str, float]:
    total = sum(table.values())
    return {name: share / total for name, share in table.items()}
