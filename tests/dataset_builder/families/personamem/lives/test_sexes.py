"""Somebody whom a text names by a slot has a name that fits its pronouns."""

from datetime import date
from random import Random

import pytest

from personamem.dataset_builder.core.homes import list_homes
from personamem.dataset_builder.families.personamem.lives.sexes import find_sex
from personamem.dataset_builder.families.personamem.lives.slots import SlotFiller


@pytest.mark.parametrize(
    ("texts", "sex"),
    [
        (("tell {first_name} her tracker is in our bathroom",), "she"),
        (("i've rung {first_name} six times", "Write that you're sorry.", "he rang"), "he"),
        (("ask father {first_name} whether she may come",), "he"),
        (("{first_name} and {other_name} can't come. he is ill",), ""),
        (("a card for {first_name}, not gushing",), ""),
        (("{first_name} lost his keys", "{first_name} has found her keys"), ""),
    ],
)  # fmt: skip
def test_the_sex_of_a_name(texts: tuple[str, ...], sex: str) -> None:
    assert find_sex(texts, "first_name") == sex


def test_names_follow_it() -> None:
    text = "tell {first_name} her tracker is in our bathroom"
    names = list_homes()["Italy"].names
    for number in range(30):
        filler = SlotFiller("Italy", date(2024, 5, 6), Random(number), texts=[text])
        assert filler.fill(text).split()[1] in names.others_she
