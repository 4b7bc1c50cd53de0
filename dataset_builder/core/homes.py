"""Homes: the countries where users of an assistant live, with their towns and names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.core.rng import draw_weighted, make_rng

_CONTENT = Path(__file__).parent / "content"


@dataclass(frozen=True, slots=True)
class LocalNames:
    """Names of one language: first names by sex and last names, for users and those they know.

    ``others_she`` and ``others_he`` are first names that only people mentioned in passing have.
    """

    she: Sequence[str]
    he: Sequence[str]
    last: Sequence[str]
    others_she: Sequence[str]
    others_he: Sequence[str]

    def list_first(self, sex: str) -> Sequence[str]:
        """Return the first names of a sex, "she" or "he"."""
        return self.she if sex == "she" else self.he

    def list_others(self, sex: str) -> Sequence[str]:
        """Return the first names of people mentioned in passing; "" stands for any sex."""
        if sex:
            return self.others_she if sex == "she" else self.others_he
        return (*self.others_she, *self.others_he)


@dataclass(frozen=True, slots=True)
class Home:
    """A country: the share of users who live there in percent, its region, names and towns."""

    country: str
    share: float
    region: str
    names: LocalNames
    towns: Sequence[str]


@cache
def list_homes() -> Mapping[str, Home]:
    """Return content/homes.yaml by country, with the names of content/local_names.yaml."""
    names = {key: LocalNames(**table) for key, table in _read("local_names.yaml").items()}
    return {
        country: Home(
            country=country,
            share=entry["share"],
            region=entry["region"],
            names=names[entry["names"]],
            towns=entry["towns"],
        )
        for country, entry in _read("homes.yaml").items()
    }


def draw_home(seed: int, cohort: int) -> Home:
    """Return where the users of a cohort live, who know people by the same names."""
    homes = list_homes()
    shares = {country: home.share for country, home in homes.items()}
    return homes[draw_weighted(shares, make_rng(seed, "home", cohort))]


def _read(name: str) -> Mapping[str, Mapping[str, Any]]:
    tables: Mapping[str, Mapping[str, Any]] = read_yaml(_CONTENT / name)
    return tables
