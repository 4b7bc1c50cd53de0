"""The identity of requests, and the way of outcomes to text and back."""

import json
from typing import Any

import pytest

from personamem.dataset_builder.llm import Answer, Failure, FailureKind, Request
from personamem.dataset_builder.llm.records import (
    Outcome,
    outcome_from_json,
    outcome_to_json,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message

HELLO: Message = {"role": "user", "content": "Hello"}


def test_the_key_is_that_of_all_that_decides_the_answer() -> None:
    base: dict[str, Any] = {
        "model": "m",
        "messages": (HELLO,),
        "parameters": {"temperature": 0.5, "seed": 1},
        "schema": {"type": "object", "title": "a"},
    }
    changes: list[dict[str, Any]] = [
        {"model": "n"},
        {"messages": ({"role": "user", "content": "Hello "},)},
        {"messages": ({"role": "system", "content": "Hello"},)},
        {"messages": (HELLO, HELLO)},
        {"parameters": {"temperature": 0.5, "seed": 2}},
        {"parameters": {"temperature": 0.5}},
        {"schema": {"type": "object", "title": "b"}},
        {"schema": None},
    ]
    keys = {Request(**{**base, **change}).key for change in [{}, *changes]}
    assert len(keys) == 1 + len(changes)
    reordered = {"seed": 1, "temperature": 0.5}
    assert Request(**{**base, "parameters": reordered}).key == Request(**base).key


def test_keys_do_not_move_between_versions() -> None:
    # A key that moved would make every stored answer be paid for again.
    request = Request("m", (HELLO,), {"max_tokens": 5, "seed": 1}, {"type": "object"})
    assert request.to_json() == (
        '{"messages":[{"content":"Hello","role":"user"}],"model":"m",'
        '"parameters":{"max_tokens":5,"seed":1},"schema":{"type":"object"}}'
    )
    assert request.key == "7de84214508335282f30847778958ed9b8c112115dbc8c0a8049f666033594e7"


def test_the_bound_of_an_answer() -> None:
    assert Request("m", (HELLO,)).max_tokens is None
    assert Request("m", (HELLO,), {"max_tokens": 7}).max_tokens == 7
    assert Request("m", (HELLO,), {"max_completion_tokens": 8}).max_tokens == 8


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"messages": ()}, "no messages"),
        ({"parameters": {"stream": True}}, "'stream' is not a parameter"),
        ({"parameters": {"response_format": {}}}, "'response_format' is not a parameter"),
        ({"parameters": {"temperature": float("nan")}}, "no JSON"),
        ({"parameters": {"stop": object()}}, "no JSON"),
        ({"messages": ({"role": "user", "content": "a\ud800"},)}, "surrogate pair"),
    ],
)
def test_a_request_that_cannot_be_sent_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        Request(**{"model": "m", "messages": (HELLO,), **changes})


@pytest.mark.parametrize(
    "outcome",
    [
        Answer("a\x00b\ud83d<b>é\u2028", "stop", "m-1", 1, 2, None),
        Answer("", None, None, None, None, None),
        Failure(FailureKind.TOO_LONG, "more than 5 bytes"),
    ],
)
def test_outcomes_survive_as_ascii(outcome: Outcome) -> None:
    text = outcome_to_json(outcome)
    assert text.isascii()
    assert "\x00" not in text
    assert json.loads(text)
    assert outcome_from_json(text) == outcome


def test_only_what_would_fail_again_lasts() -> None:
    lasting = {kind for kind in FailureKind if Failure(kind, "").lasts}
    assert lasting == {FailureKind.TOO_LONG, FailureKind.REFUSED, FailureKind.GIVEN_UP}
