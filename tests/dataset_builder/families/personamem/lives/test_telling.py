"""What is told of a story: whose, when, and in which words of the bank."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.dials import Level
from personamem.dataset_builder.families.personamem.lives.life import Life, make_life
from personamem.dataset_builder.families.personamem.lives.likeness import gives_away_as_much
from personamem.dataset_builder.families.personamem.lives.mentions import EVENT, Mention, Stance
from personamem.dataset_builder.families.personamem.lives.plan import plan_split
from personamem.dataset_builder.families.personamem.lives.rendering import render_mention, wrappers
from personamem.dataset_builder.families.personamem.lives.stories import Role
from personamem.dataset_builder.families.personamem.lives.voices import speak
from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import COHORT_SIZE

Configure = Callable[..., PersonaMemConfig]


def list_lives(config: PersonaMemConfig) -> list[Life]:
    return [make_life(config, "32k", 0, persona) for persona in range(COHORT_SIZE)]


def test_implied_and_combined_never_name_a_choice(configure_lives: Configure) -> None:
    config = configure_lives(levels=("implied", "combined"))
    groups = {
        mention.source.group
        for life in list_lives(config)
        for mentions in life.mentions.values()
        for mention in mentions
        if not mention.source.group.startswith(EVENT)  # They have tests of their own.
    }
    assert groups <= {
        *("artefacts", "others", "others_ended", "endings", "refusals", "condition"),
        *("pointers", "forget"),
    }


def test_stated_states_each_candidate_once(configure_lives: Configure) -> None:
    config = configure_lives(levels=("stated",))
    for life in list_lives(config):
        for story_id, mentions in life.mentions.items():
            stated = [m for m in mentions if m.source.group.startswith("stated.")]
            keys = [(m.choice, m.source.group) for m in stated]
            assert len(set(keys)) == len(keys)
            told = {m.choice for m in mentions if m.stance is not Stance.CONDITIONAL}
            assert {m.choice for m in stated} == told, life.plan.stories[story_id]


def test_what_is_named_again_is_shown_too(configure_lives: Configure) -> None:
    """A user who goes back to the first way says so in more than a name inside a task."""
    config = configure_lives(levels=("stated",), updates=4)
    named = 0
    for life in list_lives(config):
        for mentions in life.mentions.values():
            own = [(m.choice, m.stage, m.source.group) for m in mentions if m.stance is Stance.OWN]
            for choice, stage, group in own:
                if group == "named":
                    named += 1
                    assert (choice, stage, "artefacts") in own
    assert named


def name_of(mention: Mention) -> str:
    assert mention.contact
    return mention.contact.name


def test_combined_points_at_somebody_whose_way_is_told(configure_lives: Configure) -> None:
    config = configure_lives(levels=("combined",))
    pointed = 0
    for life in list_lives(config):
        for story_id, mentions in life.mentions.items():
            if life.plan.stories[story_id].level is not Level.COMBINED:
                continue
            assert not [m for m in mentions if m.stance is Stance.OWN]
            shown = {(name_of(m), m.choice) for m in mentions if m.stance is Stance.OTHERS}
            for mention in mentions:
                if mention.stance is Stance.POINTED:
                    pointed += 1
                    assert (name_of(mention), mention.choice) in shown
    assert pointed


def test_no_text_is_told_twice_in_a_life(config: PersonaMemConfig) -> None:
    for life in list_lives(config):
        sources = [m.source for mentions in life.mentions.values() for m in mentions]
        kept = [source for source in sources if source.group != "forget"]
        assert len(set(kept)) == len(kept)


def test_stages_follow_each_other_without_a_common_day(config: PersonaMemConfig) -> None:
    for life in list_lives(config):
        for mentions in life.mentions.values():
            days: dict[int, list[int]] = {}
            for mention in mentions:
                days.setdefault(mention.stage, []).append(mention.day.toordinal())
            stages = sorted(days)
            for before, after in pairwise(stages):
                assert max(days[before]) < min(days[after])


def test_each_candidate_is_mentioned_at_each_stage_of_one_update(
    configure_lives: Configure,
) -> None:
    config = configure_lives(updates=1, levels=("named",))
    for life in list_lives(config):
        for story_id, mentions in life.mentions.items():
            story = life.plan.stories[story_id]
            if story.updates == 1:
                for stage in (0, 1):
                    told = {m.choice for m in mentions if m.stage == stage}
                    assert told == set(story.candidates)


def test_others_are_told_of_once_where_nothing_is_named(configure_lives: Configure) -> None:
    config = configure_lives(updates=1, levels=("implied",))
    for life in list_lives(config):
        for story_id, mentions in life.mentions.items():
            if life.plan.stories[story_id].updates == 1:
                assert {m.choice for m in mentions if m.stage == 0} == set(
                    life.plan.stories[story_id].candidates
                )
                others = [m.choice for m in mentions if m.stance is Stance.OTHERS]
                assert len(set(others)) == len(others)


def test_distractors_are_told_of_people_nobody_asks_about(configure_lives: Configure) -> None:
    plain, more = configure_lives(), configure_lives(distractors=4)
    for before, after in zip(list_lives(plain), list_lives(more), strict=True):
        for story_id, mentions in after.mentions.items():
            story = after.plan.stories[story_id]
            known = {mention.mention_id for mention in before.mentions[story_id]}
            added = [mention for mention in mentions if mention.mention_id not in known]
            silent = story.silent_for is not None or Role.NEW in story.fixed
            assert len(added) == (0 if silent else sum(map(bool, story.candidates)))
            for mention in added:
                assert mention.stance is Stance.OTHERS
                assert name_of(mention) in {contact.name for contact in story.bystanders}


def test_a_request_to_forget_names_the_day_of_the_chat(config: PersonaMemConfig) -> None:
    requests = 0
    for life in list_lives(config):
        for mentions in life.mentions.values():
            for mention in mentions:
                if mention.stance is Stance.FORGET:
                    requests += 1
                    (said,) = [
                        m for m in mentions if m.stance is Stance.OWN and m.choice == mention.choice
                    ]
                    assert mention.refers_to == said.day < mention.day
    assert requests


def test_one_chat_alone_has_the_day_by_which_a_chat_is_to_be_forgotten(
    configure_lives: Configure,
) -> None:
    for seed in (4, 5, 7):
        config = configure_lives(seed=seed, personas=None, questions=None)
        for plan in plan_split(config, "32k"):
            for persona in range(COHORT_SIZE):
                for mentions in make_life(config, "32k", plan.group, persona).mentions.values():
                    days = [m.day for m in mentions if m.stance is not Stance.FORGET]
                    asked = [m.refers_to for m in mentions if m.stance is Stance.FORGET]
                    assert all(days.count(day) == 1 for day in asked if day)


@pytest.mark.parametrize("persona", range(COHORT_SIZE))
def test_what_is_told_depends_on_the_seed_alone(
    persona: int, config: PersonaMemConfig, configure_lives: Configure
) -> None:
    make_life.cache_clear()
    one = make_life(config, "32k", 0, persona)
    make_life.cache_clear()
    assert make_life(config, "32k", 0, persona) == one
    assert make_life(configure_lives(seed=12), "32k", 0, persona).mentions != one.mentions


def test_of_four_needs_one_is_private_for_each_persona(
    configure_lives: Configure,
) -> None:
    config = configure_lives(personas=40)
    found = 0
    for group in range(10):
        lives = [make_life(config, "32k", group, persona) for persona in range(COHORT_SIZE)]
        asked = [q for q in lives[0].plan.quads if q.question_type == schema.SENSITIVE]
        for quad in asked:
            private = []
            for life in lives:
                told = [m for story_id in quad.stories for m in life.mentions[story_id]]
                assert len({mention.need_id for mention in told}) == COHORT_SIZE
                (remarked,) = (mention for mention in told if mention.private is not None)
                assert remarked.source.group != "named"  # It may stand inside another matter.
                private.append(remarked.need_id)
                said = render_mention(config.seed, remarked, life.speaker)[-2]["content"]
                remarks = [speak(remark, life.speaker) for remark in wrappers()["private"]]
                assert remarks.count(said) == 1
            assert len(set(private)) == COHORT_SIZE
            found += 1
    assert found


def test_counting_words_does_not_tell_whose_reason_it_is(configure_lives: Configure) -> None:
    told = {True: 0, False: 0}
    for life in list_lives(configure_lives(personas=40)):
        for mentions in life.mentions.values():
            for mention in mentions:
                if mention.stance is Stance.OTHERS_ENDED:
                    if mention.source.group.startswith(EVENT):
                        continue
                    place = mention.source.need_id, mention.choice, mention.source.number
                    is_told = mention.source.group == "others_ended"
                    assert is_told == gives_away_as_much(*place)
                    told[is_told] += 1
    assert all(told.values())
