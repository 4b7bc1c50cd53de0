from collections import Counter

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.planning import plan_split
from personamem.dataset_builder.families.personamem.questions.quads import Quad, word_quad
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.loaders.formats import schema

CONFIG = PersonaMemConfig(seed=0)


@pytest.fixture(scope="module")
def quads() -> list[Quad]:
    return [
        word_quad(CONFIG, plan, build_cohort(CONFIG.seed, group.cohort).threads[plan.thread_id])
        for size in ("32k", "128k")
        for group in plan_split(CONFIG, size)
        for plan in group.quads
    ]


def test_options_are_distinct_and_alike_in_length(quads: list[Quad]) -> None:
    for quad in quads:
        assert len(set(quad.options)) == 4
        lengths = [len(option) for option in quad.options]
        assert max(lengths) <= schema.MAX_LENGTH_RATIO * min(lengths), quad


def test_options_read_like_replies(quads: list[Quad]) -> None:
    for quad in quads:
        for option in quad.options:
            assert 80 <= len(option) <= 260, option
            assert option[0].isupper(), option
            assert option[-1] in ".?!", option
            assert not set("{}[]|") & set(option), option
        assert quad.question[0].isupper() or not quad.question[0].isalpha(), quad.question
        assert quad.question[-1] in ".?!", quad.question


def test_a_pair_has_one_wording(quads: list[Quad]) -> None:
    pairs: dict[tuple[str, str, str], set[tuple[str, ...]]] = {}
    for quad in quads:
        if quad.plan.paired:
            size = quad.plan.quad_id.split("-")[0]
            key = (size, quad.plan.thread_id, quad.plan.question_type)
            pairs.setdefault(key, set()).add((quad.question, *quad.options))
    assert len(pairs) > 100
    assert all(len(wordings) == 1 for wordings in pairs.values())


def test_each_option_is_gold_for_one_persona(quads: list[Quad]) -> None:
    gold = {schema.REASONS: "this_change", schema.NEW_IDEAS: "new", schema.EVOLUTION: "history"}
    for quad in quads[:200]:
        thread = build_cohort(CONFIG.seed, int(quad.plan.thread_id[1:4])).threads[
            quad.plan.thread_id
        ]
        right = gold.get(quad.plan.question_type, "own")
        if quad.plan.question_type in (schema.ACKNOWLEDGE, schema.RECOMMEND):
            right = "current"
        places = [quad.roles_of(thread, k).index(right) for k in range(4)]
        assert sorted(places) == [0, 1, 2, 3]


def test_the_place_of_the_gold_is_even_over_personas(quads: list[Quad]) -> None:
    places = Counter()
    for quad in quads:
        thread = build_cohort(CONFIG.seed, int(quad.plan.thread_id[1:4])).threads[
            quad.plan.thread_id
        ]
        right = "this_change" if quad.plan.question_type == schema.REASONS else None
        roles = quad.roles_of(thread, 0)
        index = (
            roles.index(right)
            if right
            else roles.index(
                {"preference": "current", "ideas": "new", "evolution": "history"}.get(
                    thread.kind, "own"
                )
            )
        )
        places[index] += 1
    assert min(places.values()) / len(quads) > 0.2
