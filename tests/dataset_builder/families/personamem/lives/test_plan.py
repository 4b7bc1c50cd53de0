"""Plans of lives: what is asked, at which level, in which rotation."""

from collections import Counter
from collections.abc import Callable

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.dials import MOST_UPDATES, Level
from personamem.dataset_builder.families.personamem.lives.bank import list_need_ids
from personamem.dataset_builder.families.personamem.lives.life import make_life
from personamem.dataset_builder.families.personamem.lives.mentions import Stance
from personamem.dataset_builder.families.personamem.lives.plan import (
    AFTER,
    BEFORE,
    GroupPlan,
    plan_split,
)
from personamem.dataset_builder.families.personamem.lives.stories import Role
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE

Configure = Callable[..., PersonaMemConfig]


def test_every_candidate_has_every_role_once_in_a_cohort(plans: tuple[GroupPlan, ...]) -> None:
    for story in plans[0].stories.values():
        for candidate in range(COHORT_SIZE):
            roles = {story.role_of(persona, candidate) for persona in range(COHORT_SIZE)}
            assert roles == set(range(COHORT_SIZE))
        for persona in range(COHORT_SIZE):
            for role in range(COHORT_SIZE):
                candidate = story.candidate_in(persona, role)
                assert story.role_of(persona, candidate) == role


def test_types_are_dealt_evenly(plans: tuple[GroupPlan, ...]) -> None:
    asked = Counter(quad.question_type for plan in plans for quad in plan.quads)
    assert set(asked) == {*schema.QUESTION_TYPES, *schema.MORE_QUESTION_TYPES}
    del asked[schema.ACKNOWLEDGE]  # A group has at least a pair of these.
    assert max(asked.values()) - min(asked.values()) <= 1


def test_levels_are_mixed_evenly(configure_lives: Configure) -> None:
    plans = plan_split(configure_lives(personas=40), "32k")
    levels = Counter(plan.stories[quad.stories[0]].level for plan in plans for quad in plan.quads)
    assert set(levels) == set(Level)
    assert max(levels.values()) < 1.5 * min(levels.values())


def test_only_chosen_levels_are_told(configure_lives: Configure) -> None:
    plans = plan_split(configure_lives(levels=("implied",)), "32k")
    assert {story.level for plan in plans for story in plan.stories.values()} == {Level.IMPLIED}


def test_a_pair_asks_before_and_after_the_last_update(plans: tuple[GroupPlan, ...]) -> None:
    pairs = [quad for plan in plans for quad in plan.quads if quad.paired]
    assert pairs
    for plan in plans:
        for quad in plan.quads:
            updates = plan.stories[quad.stories[0]].updates
            if quad.paired:
                assert quad.stage == updates - (quad.position == BEFORE)
            elif quad.question_type in (schema.ACKNOWLEDGE, schema.EVOLUTION, schema.REASONS):
                assert (quad.position, quad.stage) == (AFTER, updates)


@pytest.mark.parametrize("updates", range(1, MOST_UPDATES + 1))
def test_a_story_has_as_many_updates_as_asked_for(updates: int, configure_lives: Configure) -> None:
    config = configure_lives(updates=updates, personas=4, questions=32)
    (plan,) = plan_split(config, "32k")
    found = {story.updates for story in plan.stories.values()} - {0}
    assert found == {updates}


def test_a_choice_never_ends_twice_in_the_same_way(configure_lives: Configure) -> None:
    for updates in range(1, MOST_UPDATES + 1):
        config = configure_lives(updates=updates, personas=4, questions=32)
        for persona in range(COHORT_SIZE):
            for mentions in make_life(config, "32k", 0, persona).mentions.values():
                ended = [m for m in mentions if m.stance is Stance.ENDED]
                assert len({(m.choice, m.source) for m in ended}) == len(ended)


def test_no_need_serves_two_stories_but_for_new_ideas(plans: tuple[GroupPlan, ...]) -> None:
    for plan in plans:
        needs = Counter(
            story.need_id for story in plan.stories.values() if Role.NEW not in story.fixed
        )
        assert set(needs.values()) == {1}
        by_need: dict[tuple[str, str], set[str]] = {}
        for story in plan.stories.values():
            seen = by_need.setdefault(story.need_id, set())
            assert not seen & set(story.candidates)
            seen |= set(story.candidates)


def test_parts_share_no_need_and_are_all() -> None:
    one, other = set(list_need_ids("a")), set(list_need_ids("b"))
    assert not one & other
    assert one | other == set(list_need_ids())
    assert abs(len(one) - len(other)) <= 1


def test_too_many_questions_are_refused_with_what_is_accepted(configure_lives: Configure) -> None:
    with pytest.raises(InvalidInputError, match=r"fewer questions, more\s+personas"):
        plan_split(configure_lives(personas=4, questions=4_000), "32k")


def test_a_dial_beyond_its_range_is_refused(configure_lives: Configure) -> None:
    with pytest.raises(InvalidInputError, match=r"updates.*less than or equal to 8"):
        configure_lives(updates=9)
    with pytest.raises(InvalidInputError, match=r"levels.*'stated', 'named', 'implied' or"):
        configure_lives(levels=("hinted",))


def test_every_context_has_a_pair_by_default(configure_lives: Configure) -> None:
    scale = {"personas": None, "questions": None}
    plans = plan_split(configure_lives(**scale), "32k")
    asked = Counter(quad.question_type for plan in plans for quad in plan.quads)
    paired = {schema.ACKNOWLEDGE, schema.RECOMMEND}
    for plan in plans:
        (name,) = {quad.question_type for quad in plan.quads if quad.paired}
        assert name in paired
        assert [quad.position for quad in plan.quads if quad.paired] == ["before", "after"]
    assert {asked.pop(name) for name in paired} == {24, 26}
    assert max(asked.values()) - min(asked.values()) <= 1


def test_small_groups_have_pairs_too(configure_lives: Configure) -> None:
    config = configure_lives(personas=44, questions=176)
    paired = Counter(
        quad.question_type
        for plan in plan_split(config, "32k")
        for quad in plan.quads
        if quad.paired
    )
    assert set(paired) == {schema.ACKNOWLEDGE}
    assert paired.total() >= 4
    assert paired.total() % 2 == 0
