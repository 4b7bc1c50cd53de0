"""Situations: where, when and with which device a user turns to the assistant."""

from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

from personamem.dataset_builder.core.content_yaml import read_yaml
from personamem.dataset_builder.families.personalens.content_schema import CONTENT
from personamem.dataset_builder.families.personalens.demographics import Person
from personamem.loaders.personalens.schema import Situation

_WEEKEND = ("Saturday", "Sunday")
_TIMES = ("Morning", "Afternoon", "Evening")


@cache
def read_situations() -> Mapping[str, Any]:
    """Return ``situations.yaml``."""
    situations: Mapping[str, Any] = read_yaml(CONTENT / "situations.yaml")
    return situations


def draw_situation(tags: frozenset[str], random: Random, person: Person | None = None) -> Situation:
    """Return a situation that is open to a user with these tags.

    The location names the town of ``person``, and of a hotel another town; without a person, no
    town.
    """
    content = read_situations()
    day = _draw(content["days"], random)
    time = _draw(content["times"], random)
    places = {
        place: shares[_find_column(day, time)]
        for place, shares in content["places"].items()
        if not content["needs"].get(place) or tags.intersection(content["needs"][place])
    }
    place = _draw(places, random)
    location = content["words"][place]
    if person is not None:
        town = person.other_town if place == "hotel" else person.town
        location = f"{location}, {town}, {person.demographics.reside_country}"
    return Situation(
        location=location,
        device=_draw(content["devices"][place], random),
        time_of_day=time,
        day_of_week=day,
        environment=_draw(content["environments"][place], random),
    )


def _find_column(day: str, time: str) -> int:
    if time not in _TIMES:
        return 2 * len(_TIMES)
    return _TIMES.index(time) + len(_TIMES) * (day in _WEEKEND)


def _draw(shares: Mapping[str, float], random: Random) -> str:
    return random.choices(list(shares), list(shares.values()))[0]
