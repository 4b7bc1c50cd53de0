"""The solver: from mentions to the one right option, told by hand."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from personamem.dataset_builder.core.people import Contact
from personamem.dataset_builder.families.personamem.lives.mentions import Mention, Source, Stance
from personamem.dataset_builder.families.personamem.lives.solver import UnsolvableError, solve
from personamem.loaders.formats import schema

DAY = date(2024, 3, 1)
NEED = ("onlineShopping", "clothes")
PETRA = Contact("my friend Petra", "Petra", "she")
OPTIONS = ("sewing", "swapping", "renting", "outlets")


def tell(
    stance: Stance,
    choice: str,
    stage: int = 0,
    day: int = 0,
    contact: Contact | None = None,
    need: tuple[str, str] = NEED,
) -> Mention:
    source = Source(need, choice, "artefacts", 0)
    when = DAY + timedelta(days=30 * stage + day)
    return Mention(f"m{stage}{day}{choice}", stage, stance, choice, when, source, contact)


CHANGED = (
    tell(Stance.OWN, "sewing"),
    tell(Stance.OTHERS, "swapping", contact=PETRA),
    tell(Stance.DECLINED, "renting"),
    tell(Stance.ENDED, "sewing", stage=1, day=2),
    tell(Stance.OWN, "swapping", stage=1, day=1),
)
LATE = DAY + timedelta(days=300)


def test_the_latest_own_choice_is_right() -> None:
    assert OPTIONS[solve(schema.ACKNOWLEDGE, OPTIONS, CHANGED, LATE)] == "swapping"


def test_before_the_update_the_former_choice_is_right() -> None:
    assert OPTIONS[solve(schema.ACKNOWLEDGE, OPTIONS, CHANGED, DAY)] == "sewing"


def test_told_late_the_end_of_a_choice_still_ends_it() -> None:
    late = [replace(m, day=LATE) if m.stance is Stance.ENDED else m for m in CHANGED]
    with pytest.raises(UnsolvableError, match="2 of the options"):
        solve(schema.ACKNOWLEDGE, OPTIONS, late, LATE - timedelta(days=1))
    assert OPTIONS[solve(schema.ACKNOWLEDGE, OPTIONS, late, LATE)] == "swapping"


def test_a_pointer_replaces_what_was_before() -> None:
    pointed = (*CHANGED[:3], tell(Stance.POINTED, "swapping", stage=1, contact=PETRA))
    assert OPTIONS[solve(schema.ACKNOWLEDGE, OPTIONS, pointed, LATE)] == "swapping"


def test_histories_are_told_apart_by_their_order() -> None:
    options = ("sewing>swapping", "swapping>sewing", "renting>outlets", "sewing>renting")
    assert solve(schema.EVOLUTION, options, CHANGED, LATE) == 0


def test_the_reason_is_that_of_the_latest_end() -> None:
    twice = (*CHANGED, tell(Stance.ENDED, "swapping", stage=2), tell(Stance.OWN, "outlets", 2))
    assert OPTIONS[solve(schema.REASONS, OPTIONS, CHANGED, LATE)] == "sewing"
    assert OPTIONS[solve(schema.REASONS, OPTIONS, twice, LATE)] == "swapping"


def test_what_others_do_is_asked_by_name() -> None:
    assert OPTIONS[solve(schema.OTHERS, OPTIONS, CHANGED, LATE, "Petra")] == "swapping"
    with pytest.raises(UnsolvableError, match="0 of the options"):
        solve(schema.OTHERS, OPTIONS, CHANGED, LATE, "Marek")


def test_what_never_came_up_is_new() -> None:
    assert OPTIONS[solve(schema.NEW_IDEAS, OPTIONS, CHANGED, LATE)] == "outlets"


def test_what_is_to_be_forgotten_is_not_the_users() -> None:
    told = (tell(Stance.OWN, "sewing"), tell(Stance.OWN, "renting", day=3))
    forget = replace(tell(Stance.FORGET, "renting", day=5), refers_to=told[1].day)
    with pytest.raises(UnsolvableError, match="2 of the options"):
        solve(schema.FORGET, OPTIONS, told, LATE)
    assert OPTIONS[solve(schema.FORGET, OPTIONS, (*told, forget), LATE)] == "sewing"


def test_a_trait_must_be_shown_in_all_needs() -> None:
    other = ("therapy", "calm")
    told = (tell(Stance.OWN, "sewing"), tell(Stance.OWN, "knitting", need=other))
    options = (
        "onlineShopping/clothes/sewing|therapy/calm/knitting",
        "onlineShopping/clothes/sewing|therapy/calm/running",
        "onlineShopping/clothes/renting|therapy/calm/knitting",
        "onlineShopping/clothes/outlets|therapy/calm/tea",
    )
    assert solve(schema.GENERALIZE, options, told, LATE) == 0


def test_the_need_that_never_came_up_was_never_told() -> None:
    options = ("onlineShopping/clothes", "therapy/calm", "travelPlanning/stay", "a/b")
    told = [
        tell(Stance.OWN, "x", need=need)
        for need in (("onlineShopping", "clothes"), ("travelPlanning", "stay"), ("a", "b"))
    ]
    assert solve(schema.NEVER_TOLD, options, told, LATE) == 1


def test_what_was_called_private_is_left_out() -> None:
    options = ("onlineShopping/clothes", "therapy/calm", "travelPlanning/stay", "a/b")
    told = [
        replace(
            tell(Stance.OWN, "x", need=tuple(need.split("/"))),
            private=0 if need == "therapy/calm" else None,
        )
        for need in options
    ]
    assert solve(schema.SENSITIVE, options, told, LATE) == 1
    with pytest.raises(UnsolvableError):
        solve(schema.SENSITIVE, options, [replace(each, private=None) for each in told], LATE)
