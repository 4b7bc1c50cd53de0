from collections import Counter

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.planning import AFTER, BEFORE, plan_split
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import QUESTION_TYPES, TOPICS

DEFAULT = PersonaMemConfig(seed=0)


@pytest.mark.parametrize(("size", "questions"), [("32k", 592), ("128k", 2_728), ("1M", 2_676)])
def test_the_default_scale_is_the_official_one(size: str, questions: int) -> None:
    quads = [quad for plan in plan_split(DEFAULT, size) for quad in plan.quads]
    assert 4 * len(quads) == questions
    assert len({quad.quad_id for quad in quads}) == len(quads)
    types = Counter(quad.question_type for quad in quads)
    assert set(types) == set(QUESTION_TYPES)
    assert min(types.values()) / len(quads) >= 0.08
    assert {quad.topic for quad in quads} == set(TOPICS)


@pytest.mark.parametrize("size", ["4k", "32k", "1M"])
def test_pairs_ask_the_same_thread_before_and_after(size: str) -> None:
    for plan in plan_split(DEFAULT, size)[:4]:
        paired = [quad for quad in plan.quads if quad.paired]
        assert paired
        places: dict[tuple[str, str], list[str]] = {}
        for quad in paired:
            places.setdefault((quad.thread_id, quad.question_type), []).append(quad.position)
        assert all(sorted(found) == [AFTER, BEFORE] for found in places.values())


def test_a_thread_is_asked_once_per_type_and_position() -> None:
    for plan in plan_split(DEFAULT, "1M"):
        asked = Counter(
            (q.thread_id, q.question_type, q.position, q.topic, q.scenario) for q in plan.quads
        )
        assert max(asked.values()) == 1


def test_traits_are_shown_in_other_topics_than_the_question() -> None:
    for size in ("32k", "128k"):
        for plan in plan_split(DEFAULT, size):
            for quad in plan.quads:
                if quad.question_type == schema.GENERALIZE:
                    assert len(plan.trait_topics[quad.thread_id]) == 2
                    assert quad.topic not in plan.trait_topics[quad.thread_id]


def test_groups_use_the_topics_evenly() -> None:
    used = Counter(topic for plan in plan_split(DEFAULT, "32k") for topic in plan.topics)
    assert set(used) == set(TOPICS)
    assert max(used.values()) - min(used.values()) <= 1
    only = PersonaMemConfig(seed=0, sizes=("4k",), topics=("therapy", "travelPlanning"), personas=4)
    assert all(set(plan.topics) <= set(only.topics) for plan in plan_split(only, "4k"))


def test_more_questions_take_more_topics_until_none_are_left() -> None:
    many = PersonaMemConfig(seed=0, sizes=("32k",), personas=4, questions=400)
    assert len(plan_split(many, "32k")[0].topics) > 5
    too_many = PersonaMemConfig(seed=0, sizes=("32k",), personas=4, questions=4_000)
    with pytest.raises(InvalidInputError, match="fewer questions"):
        plan_split(too_many, "32k")


@pytest.mark.parametrize("size", ["4k", "32k"])
@pytest.mark.parametrize("topics", [1, 2, 3, 15])
def test_every_number_of_quads_up_to_the_limit_can_be_planned(size: str, topics: int) -> None:
    chosen = TOPICS[:topics]
    limit = 0
    for quads in range(1, 400):
        config = PersonaMemConfig(
            seed=0, sizes=(size,), personas=4, questions=4 * quads, topics=chosen
        )
        try:
            plan = plan_split(config, size)[0]
        except InvalidInputError as error:
            message = str(error)
            break
        assert len(plan.quads) == quads
        assert len(set(plan.topics)) == len(plan.topics)
        limit = quads
    assert limit >= 9 * topics
    assert f"up to about {4 * limit} per four contexts" in message
