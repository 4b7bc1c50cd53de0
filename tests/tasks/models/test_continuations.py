import math

import pytest

from personamem.tasks.models.continuations import (
    TOKENS_ASKED,
    NextToken,
    are_questions_cheaper,
    join_answers,
    plan_questions,
)


def test_four_letters_are_one_question() -> None:
    assert plan_questions([(7,), (5,), (9,), (5,)]) == {(): [5, 7, 9]}


def test_a_beginning_is_asked_once() -> None:
    questions = plan_questions([(1, 2, 3), (1, 2, 4), (1,), (6, 2)])
    assert questions == {(): [1, 6], (1,): [2], (1, 2): [3, 4], (6,): [2]}


def test_likelihoods_add_up_and_every_token_must_be_the_likeliest() -> None:
    answers = {
        (): NextToken(1, {1: math.log(0.5), 6: math.log(0.25)}),
        (1,): NextToken(3, {2: math.log(0.5), 3: math.log(0.5)}),
    }
    likelihood, greedy = join_answers((1, 2), answers)
    assert likelihood == pytest.approx(math.log(0.25))
    assert not greedy
    assert join_answers((1, 3), answers) == (pytest.approx(math.log(0.25)), True)
    assert join_answers((6,), answers) == (pytest.approx(math.log(0.25)), False)


def decide(context_length: int, continuations: list[tuple[int, ...]]) -> bool:
    return are_questions_cheaper(context_length, continuations, plan_questions(continuations))


def test_questions_are_asked_where_they_read_less() -> None:
    letters = [(1,), (2,), (3,), (4,)]
    assert decide(1, letters)
    assert decide(10_000, letters)
    sentences = [tuple(range(start, start + 20)) for start in (0, 100, 200, 300)]
    assert decide(10_000, sentences)
    assert not decide(100, sentences)
    assert not decide(10_000, sentences[:1])


def test_what_cannot_be_asked_is_scored_as_a_whole() -> None:
    assert not decide(10_000, [(), (1,)])
    letters = [(token,) for token in range(TOKENS_ASKED)]
    assert decide(10_000, letters)
    assert not decide(10_000, [*letters, (TOKENS_ASKED,)])
