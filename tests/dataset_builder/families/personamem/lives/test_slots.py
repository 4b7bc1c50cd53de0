"""Slots: the same errand, brought by different people."""

from datetime import date
from random import Random

import pytest

from personamem.dataset_builder.core.homes import list_homes
from personamem.dataset_builder.core.people import Contact, people_tables
from personamem.dataset_builder.families.personamem.lives.slots import (
    CURRENCIES,
    SlotFiller,
    write_amount,
)

PETRA = Contact("my friend Petra", "Petra", "she")


def fill(text: str, country: str = "Germany", contact: Contact | None = PETRA) -> str:
    return SlotFiller(country, date(2024, 12, 5), Random(3), contact).fill(text)


def test_a_slot_has_one_value_in_a_text() -> None:
    for slot in ("{price:30}", "{other_name}", "{weekday}", "{number:12}"):
        one, other = fill(f"{slot}|{slot}").split("|")
        assert one == other
    one, other = fill("{first_name} {other_name}").split()
    assert one != other


def test_somebody_is_capitalised_at_the_start_of_a_sentence() -> None:
    assert fill('{who} asks. {they} can\'t. "{who}" {who}') == (
        'My friend Petra asks. She can\'t. "My friend Petra" my friend Petra'
    )
    assert fill("I asked {them}") == "I asked her"


def test_months_lie_around_the_session() -> None:
    assert fill("{month}") == "December"
    assert fill("{last_month}") == "November"
    assert fill("{next_month}") == "January"


def test_what_began_or_ended_in_a_month_did_so_before() -> None:
    for text in ("I do it since {month}", "she switched over in {month}"):
        assert fill(text).endswith("November")
    assert fill("can we meet in {month}?") == "can we meet in December?"


def test_who_is_called_mr_or_ms_has_a_last_name() -> None:
    filler = SlotFiller("Poland", date(2024, 1, 1), Random(1))
    names = list_homes()["Poland"].names
    last = filler.fill("Ms {other_name}").removeprefix("Ms ")
    assert last in names.last
    assert filler.fill("Dear Ms {other_name}, is mr. {other_name} in?") == (
        f"Dear Ms {last}, is mr. {last} in?"
    )
    assert filler.fill("ask {first_name}")[4:] in names.list_others("")


def test_an_assistant_knows_only_names_that_were_told() -> None:
    filler = SlotFiller("", date(2024, 1, 1), Random(1))
    told = filler.fill("a line to {first_name} please").split()[3]
    assert filler.answer("Hi {first_name}, {other_name} can't come.") == (
        f"Hi {told}, [Name] can't come."
    )


def test_dates_of_this_month_lie_before_or_after_the_session() -> None:
    for number in range(40):
        day = date(2024, 3, 1)
        sent = SlotFiller("", day, Random(number)).fill("it was sent on {day} {month}, ok")
        assert sent[15:-4].split()[1] == "February"
        meet = SlotFiller("", day, Random(number)).fill("a table for {day} {month}")
        assert meet.endswith(" March")
        assert int(meet.split()[3]) > 3


def test_streets_have_the_names_of_the_country() -> None:
    assert fill("to {street}", "Italy")[3:] in people_tables()["local_streets"]["Italy"]
    assert fill("to {street}", "Kenya")[3:] in people_tables()["local_streets"][""]


def test_at_work_no_weekday_is_a_weekend() -> None:
    days = {
        SlotFiller("", date(2024, 1, 1), Random(n), at_work=True).fill("{weekday}")
        for n in range(60)
    }
    assert len(days) == 4  # Not the day of the session.
    assert not days & {"Saturday", "Sunday"}


def test_one_of_two_wordings_is_taken() -> None:
    assert {SlotFiller("", date(2024, 1, 1), Random(i)).fill("[a|b]") for i in range(20)} == {
        "a",
        "b",
    }


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError, match="no value for the slot 'planet'"):
        fill("{planet}")


def test_amounts_are_written_as_in_the_country() -> None:
    assert write_amount(30, "Germany") == "€30"
    assert write_amount(30, "India") == "₹2,400"
    assert write_amount(1_234, "") == "1,200"
    towns = (t for region in people_tables()["regions"].values() for t in region["towns"].values())
    assert {*towns, *list_homes()} <= CURRENCIES.keys()
