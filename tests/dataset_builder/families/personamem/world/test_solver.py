from datetime import date

import pytest

from personamem.dataset_builder.families.personamem.world.facts import Fact, Relation
from personamem.dataset_builder.families.personamem.world.solver import UnsolvableError, solve
from personamem.loaders.formats import schema

EARLY, LATE, NOW = date(2024, 1, 1), date(2024, 2, 1), date(2024, 3, 1)


def fact(relation: Relation, value: str, stage: int = 0, reason: str = "") -> Fact:
    said_on = (EARLY, LATE, NOW)[stage]
    return Fact(
        f"{relation}{stage}", "t", relation, value, "therapy", stage, said_on, reason=reason
    )


STORY = [
    fact(Relation.LIKES, "a"),
    fact(Relation.UNMOVED, "b"),
    fact(Relation.CONTACT_LIKES, "c"),
    fact(Relation.DECLINES, "d"),
    fact(Relation.DROPS, "a", 1, reason="r1"),
    fact(Relation.TAKES_UP, "b", 1),
    fact(Relation.CONTACT_STILL_LIKES, "c", 1),
    fact(Relation.STILL_DECLINES, "d", 1),
    fact(Relation.NOT_BECAUSE, "r2", 1),
]


def test_the_current_preference_depends_on_the_day() -> None:
    options = ["d", "c", "b", "a"]
    assert solve(schema.ACKNOWLEDGE, options, STORY, "t", EARLY) == 3
    assert solve(schema.ACKNOWLEDGE, options, STORY, "t", NOW) == 2


def test_the_reason_is_that_of_the_change() -> None:
    assert solve(schema.REASONS, ["r2", "r1", "r3", "r4"], STORY, "t", NOW) == 1


def test_histories_are_replayed_stage_by_stage() -> None:
    story = [
        fact(Relation.STARTS_DISLIKING, "x"),
        fact(Relation.TURNS_TOWARDS, "x", 1),
        fact(Relation.TURNS_AWAY, "x", 2),
    ]
    assert solve(schema.EVOLUTION, ["+-+", "-+-", "--+", "++-"], story, "t", NOW) == 1


def test_a_new_idea_is_the_one_that_nobody_named() -> None:
    story = [fact(Relation.TRIED, "a"), fact(Relation.SHELVED, "b"), fact(Relation.HEARD_OF, "c")]
    assert solve(schema.NEW_IDEAS, ["a", "b", "c", "d"], story, "t", NOW) == 3


def test_own_facts_and_traits_are_not_those_of_others() -> None:
    story = [fact(Relation.FRIEND_DID, "a"), fact(Relation.DID, "b"), fact(Relation.SHOWS, "p")]
    assert solve(schema.RECALL, ["a", "b", "c", "d"], story, "t", NOW) == 1
    assert solve(schema.GENERALIZE, ["q", "p", "r", "s"], story, "t", NOW) == 1


@pytest.mark.parametrize("options", [["a", "c", "d", "e"], ["b", "b", "c", "d"]])
def test_none_or_two_right_options_are_a_defect(options: list[str]) -> None:
    with pytest.raises(UnsolvableError, match="exactly one"):
        solve(schema.ACKNOWLEDGE, options, STORY, "t", NOW)
