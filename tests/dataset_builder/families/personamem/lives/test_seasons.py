"""What comes once a year is spoken of around that time."""

from datetime import date, timedelta
from random import Random

import pytest

from personamem.dataset_builder.families.personamem.lives.seasons import (
    draw_in_season,
    list_months,
)

FIRST = date(2024, 1, 1)


@pytest.mark.parametrize(
    ("text", "country", "months"),
    [
        ("the tree is still up, is that ok after Christmas?", "Poland", {11, 12, 1}),
        ("a hall for easter", "Chile", {2, 3, 4}),
        ("my summer tyres", "Sweden", {4, 5, 6, 7, 8, 9}),
        ("my summer dress", "Argentina", {10, 11, 12, 1, 2, 3}),
        ("snow at Easter", "Austria", {2, 3}),
        ("it broke in Holy Week", "Brazil", {3, 4}),
        ("i've had it since November", "Spain", {12, 1, 2, 3, 4, 5}),
        ("they'd like it back by march", "Spain", {10, 11, 12, 1, 2}),
        ("a snowman made of paper", "Austria", set(range(1, 13))),
    ],
)
def test_the_months_of_a_text(text: str, country: str, months: set[int]) -> None:
    random = Random(3)
    days = {
        draw_in_season(lambda: FIRST + timedelta(days=random.randrange(366)), text, country).month
        for _ in range(300)
    }
    assert days == months


def test_words_that_exclude_each_other_fit_any_month() -> None:
    assert list_months("the autumn coat, worn at Easter", south=False) == frozenset(range(1, 13))


def test_a_stage_without_the_season_gives_a_day_all_the_same() -> None:
    assert draw_in_season(lambda: date(2024, 7, 1), "advent", "Germany") == date(2024, 7, 1)
