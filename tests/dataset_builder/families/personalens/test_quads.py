"""Quads: balanced, and decided by the preferences of the user alone."""

from collections import Counter, defaultdict
from itertools import combinations

import pytest

from personamem.dataset_builder.families.personalens.checks import BALANCED, SOLVED, judge
from personamem.dataset_builder.families.personalens.content_schema import (
    TaskContent,
    type_by_key,
)
from personamem.dataset_builder.families.personalens.quads import draw_quads, render_reply, solve
from personamem.dataset_builder.families.personalens.tasks import list_tasks
from personamem.dataset_builder.families.personalens.users import User
from personamem.dataset_builder.families.personalens.values import read_values
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import LensQuestion, Profile
from personamem.loaders.personalens.statistics import measure_statistics


@pytest.fixture(scope="module")
def profiles(users: list[User]) -> dict[str, Profile]:
    return {user.profile.user_id: user.profile for user in users}


@pytest.fixture(scope="module")
def questions(profiles: dict[str, Profile]) -> list[LensQuestion]:
    return draw_quads(5, list(profiles.values()), 1)


@pytest.fixture(scope="module")
def quads(questions: list[LensQuestion]) -> dict[str, list[LensQuestion]]:
    found = defaultdict(list)
    for question in questions:
        found[question.quad_id].append(question)
    return found


CONTENTS: dict[str, TaskContent] = {task.task_id: content for task, content in list_tasks()}


def test_four_users_share_everything_but_the_answer(quads: dict[str, list[LensQuestion]]) -> None:
    assert len(quads) > 180
    for asked in quads.values():
        assert sorted(question.answer_index for question in asked) == [0, 1, 2, 3]
        assert len({question.user_id for question in asked}) == 4
        shared = {(q.task_id, q.request, q.options, q.situation, q.depth) for q in asked}
        assert len(shared) == 1
        assert len(set(asked[0].options)) == 4


def test_any_answer_that_does_not_see_the_user_is_right_for_one_of_four(
    quads: dict[str, list[LensQuestion]],
) -> None:
    policies = [
        lambda question: 0,
        lambda question: 3,
        lambda question: max(range(4), key=lambda i: len(question.options[i])),
        lambda question: min(range(4), key=lambda i: question.options[i]),
    ]
    for policy in policies:
        right = sum(policy(q) == q.answer_index for asked in quads.values() for q in asked)
        assert right / (4 * len(quads)) == 0.25


def test_a_plain_reading_of_profiles_finds_one_right_reply(
    questions: list[LensQuestion], profiles: dict[str, Profile]
) -> None:
    """Not by rendering replies: by looking which values a reply names."""
    for question in questions:
        chosen = {
            (each.domain, each.type): set(each.values)
            for each in profiles[question.user_id].preferences
        }
        fitting = []
        for number, option in enumerate(question.options):
            named = []
            for key in CONTENTS[question.task_id].slots:
                domain, content = type_by_key()[key]
                texts = [value.text for value in read_values(key)]
                found = [text for text in texts if text.lower() in option.lower()]
                # Of "a garden" and "a garden room", the longer one is meant.
                longest = max(found, key=len)
                named.append(longest in chosen[domain, content.name])
            if all(named):
                fitting.append(number)
        assert fitting == [question.answer_index], question
        content = CONTENTS[question.task_id]
        assert solve(question, content, profiles[question.user_id]) == fitting


def test_at_depth_two_no_type_is_enough_alone(
    quads: dict[str, list[LensQuestion]], profiles: dict[str, Profile]
) -> None:
    depths = Counter(asked[0].depth for asked in quads.values())
    assert depths[1] > 90
    assert depths[2] > 90
    for asked in quads.values():
        first, second = CONTENTS[asked[0].task_id].slots
        pairs = [
            (one.text, other.text) for one in read_values(first) for other in read_values(second)
        ]
        texts = {render_reply(CONTENTS[asked[0].task_id], pair): pair for pair in pairs}
        named = [texts[option] for option in asked[0].options]
        assert len(asked[0].types) == asked[0].depth
        if asked[0].depth == 2:
            assert sorted(Counter(one for one, _ in named).values()) == [2, 2]
            assert sorted(Counter(other for _, other in named).values()) == [2, 2]
        else:
            assert sorted(len(set(column)) for column in zip(*named, strict=True)) == [1, 4]


def test_replies_read_like_those_of_an_assistant(questions: list[LensQuestion]) -> None:
    for question in questions:
        for option in question.options:
            assert option.endswith("?")
            assert 18 <= len(option.split()) <= 60
            assert option[0].isupper()
            assert "{" not in option
        lengths = [len(option) for option in question.options]
        assert max(lengths) / min(lengths) < 1.5


def test_users_are_used_about_equally_and_order_predicts_nothing(
    questions: list[LensQuestion],
) -> None:
    used = Counter(question.user_id for question in questions)
    assert max(used.values()) <= 20
    neighbours = [one.quad_id == other.quad_id for one, other in combinations(questions[:80], 2)]
    assert sum(neighbours) < 40


def test_wrong_answers_and_lost_questions_are_found(
    questions: list[LensQuestion], users: list[User]
) -> None:
    from dataclasses import replace

    from personamem.dataset_builder.families.personalens.values import list_types

    def find(quads: list[LensQuestion]) -> set[str]:
        data = PersonaLens(
            "",
            tuple(user.profile for user in users),
            tuple(task for task, _ in list_tasks()),
            tuple(scenario for user in users for scenario in user.scenarios),
            list_types(),
            tuple(quads),
        )
        return {f.check for f in judge(data, measure_statistics(data)) if f.passed is False}

    assert find(questions) == set()
    turned = replace(questions[0], answer_index=(questions[0].answer_index + 1) % 4)
    assert find([turned, *questions[1:]]) == {SOLVED.name, BALANCED.name}
    assert find(questions[1:]) == {BALANCED.name}
