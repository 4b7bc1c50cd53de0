"""Hidden traits of a user, such as how they spend and when they get up; preferences follow.

A user has tags: one for each dimension of ``traits.yaml``, and two tastes.
"""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personalens.content_schema import CONTENT
from personamem.loaders.personalens.schema import Demographics

FOLLOWED = {"stage": "employment_status", "marital": "marital_status", "age": "age"}
"""Dimensions that follow from a field of demographics."""


@cache
def read_traits() -> Mapping[str, Any]:
    """Return ``traits.yaml``."""
    traits: Mapping[str, Any] = read_yaml(CONTENT / "traits.yaml")
    return traits


@cache
def list_dimensions() -> Mapping[str, frozenset[str]]:
    """Return the tags of each dimension of which a user has one; tastes, of which two, aside."""
    content = read_traits()
    found = {name: frozenset(tags.values()) for name, tags in content["follow"].items()}
    found |= {
        name: frozenset(tags)
        for name, tags in content["shares"].items()
        if name not in ("taste", "second_taste")
    }
    for name in ("spend", "company"):
        found[name] = frozenset(tag for table in content[name].values() for tag in table)
    diets = [content["diet"], *content["diet_by_religion"].values()]
    found["diet"] = frozenset(tag for table in diets for tag in table)
    return found


@cache
def find_dimension(tags: frozenset[str]) -> str:
    """Return the dimension that has all of ``tags``. Raises KeyError if none does."""
    for name, accepted in list_dimensions().items():
        if tags <= accepted:
            return name
    raise KeyError(", ".join(sorted(tags)))


def follow_demographics(demographics: Demographics) -> dict[str, frozenset[str]]:
    """Return the tags that demographics leave open, for each dimension that they decide."""
    content = read_traits()
    found = {}
    for name, field in FOLLOWED.items():
        tag = content["follow"][name].get(getattr(demographics, field))
        # Other releases have values of their own, which decide nothing.
        found[name] = frozenset([tag]) if tag else list_dimensions()[name]
    company = {
        tag
        for marital in found["marital"]
        for tag, share in content["company"][marital].items()
        if share
    }
    if found["age"] <= set(content["no_family"]):
        company -= {"family"}
    found["company"] = frozenset(company)
    found["spend"] = frozenset(tag for stage in found["stage"] for tag in content["spend"][stage])
    return found


def draw_traits(demographics: Demographics, random: Random) -> frozenset[str]:
    """Return the tags of a user."""
    content = read_traits()
    follow = follow_demographics(demographics)
    tags = {name: next(iter(follow[name])) for name in FOLLOWED}
    for name, shares in content["shares"].items():
        taken = {name: tags["taste"]} if name == "second_taste" else {}
        open_shares = {tag: share for tag, share in shares.items() if tag not in taken.values()}
        tags[name] = _draw(open_shares, random)
    for name, by in (("spend", "stage"), ("company", "marital")):
        shares = {
            tag: share for tag, share in content[name][tags[by]].items() if tag in follow[name]
        }
        tags[name] = _draw(shares, random)
    diets = content["diet_by_religion"].get(demographics.religion, content["diet"])
    tags["diet"] = _draw(diets, random)
    return frozenset(tags.values())


def _draw(shares: Mapping[str, float], random: Random) -> str:
    return random.choices(list(shares), list(shares.values()))[0]
