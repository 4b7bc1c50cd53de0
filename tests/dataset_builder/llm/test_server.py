"""What a server refuses, cannot do or says too much of, and what it is told of the key."""

import json
import logging
import time
from typing import Any

import pytest
from answering_process import make_requests
from asking import KEY, ask_one, make_request
from fault_server import Behaviour, serve_faults

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    Failure,
    FailureKind,
    Server,
    ServerError,
    complete_all,
)
from personamem.loaders.formats.errors import InvalidInputError


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("400", "check model and parameters"),
        ("401", "does not accept the API key; set OPENAI_API_KEY"),
        ("403", "may not use this model"),
        ("404", "no such model or address"),
    ],
)
def test_what_will_not_pass_is_an_error_at_once_without_the_key(
    store: AnswerStore, caplog: pytest.LogCaptureFixture, status: str, words: str
) -> None:
    behaviour = Behaviour(faults={status: 1.0}, message=f"your key is {KEY}, model stub")
    caplog.set_level(logging.DEBUG)
    with serve_faults(behaviour) as server:
        with pytest.raises(ServerError) as caught:
            complete_all(make_requests(50), store, Server(server.url, KEY, concurrency=2))
        assert sum(one["asked"] for one in server.counts.values()) <= 3
    message = str(caught.value)
    assert f"model 'stub': status {status}" in message
    assert words in message
    assert "your key is ***, model stub" in message
    for text in (message, caplog.text, repr(caught.value), repr(Server("http://a", KEY))):
        assert KEY not in text


def test_no_money_left_is_no_reason_to_wait(store: AnswerStore) -> None:
    behaviour = Behaviour(faults={"429": 1.0}, code="insufficient_quota")
    with pytest.raises(ServerError, match="insufficient_quota"):
        ask_one(store, behaviour, make_request("a"))


def test_an_unknown_host_is_an_error_at_once(store: AnswerStore) -> None:
    started = time.monotonic()
    with pytest.raises(ServerError, match="no connection"):
        complete_all([make_request("a")], store, Server("http://no-such-host.invalid/v1"))
    assert time.monotonic() - started < 5


def test_a_web_page_is_a_wrong_address(store: AnswerStore) -> None:
    with pytest.raises(ServerError, match=r"a web page.*base_url, which mostly ends in /v1"):
        ask_one(store, Behaviour(faults={"page": 1.0}), make_request("a"))


def test_the_key_is_hidden_before_a_body_is_shortened(store: AnswerStore) -> None:
    # The cut falls into the key.
    behaviour = Behaviour(faults={"page": 1.0}, message=f"{'x' * 273} {KEY} {'y' * 500}")
    with pytest.raises(ServerError) as caught:
        ask_one(store, behaviour, make_request("a"))
    assert "*" in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_a_silent_model_has_answered(store: AnswerStore) -> None:
    outcome, asked = ask_one(store, Behaviour(always={"a": "blank"}), make_request("a"))
    assert asked == 1
    assert isinstance(outcome, Answer)
    assert outcome.text == ""


def test_an_answer_of_a_million_tokens_is_a_failure_that_lasts(store: AnswerStore) -> None:
    behaviour = Behaviour(answers={"a": "word " * 1_000_000})
    outcome, asked = ask_one(store, behaviour, make_request("a"))
    assert outcome == Failure(FailureKind.TOO_LONG, "an answer of more than 1,048,576 bytes")
    assert asked == 1
    filled = complete_all([make_request("a")], store, Server("http://127.0.0.1:9/v1"))
    assert [failure for _, failure in filled.failures] == [outcome]


def test_a_prompt_that_the_model_cannot_take_fails_alone(store: AnswerStore) -> None:
    message = "The maximum context length is 10 tokens."
    request = make_request("long")
    behaviour = Behaviour(always={"long": "400"}, message=message)
    with serve_faults(behaviour) as server:
        filled = complete_all([request, *make_requests(3)], store, Server(server.url))
    assert filled.progress.answered == 3
    assert filled.failures[0][1].kind is FailureKind.REFUSED
    assert message in filled.failures[0][1].reason


@pytest.mark.parametrize("takes_schema", [True, False])
def test_a_server_without_structured_output_is_asked_without(
    store: AnswerStore, takes_schema: bool
) -> None:
    schema = {"type": "object", "properties": {}, "additionalProperties": False}
    requests = [make_request(f"p {n}", schema=schema) for n in range(6)]
    with serve_faults(Behaviour(takes_schema=takes_schema)) as server:
        filled = complete_all(requests, store, Server(server.url, concurrency=1))
        asked = [server.counts[f"p {n}"]["asked"] for n in range(6)]
    assert filled.progress.answered == 6
    # The first refusal is remembered.
    assert sorted(asked) == ([1] * 6 if takes_schema else [1, 1, 1, 1, 1, 2])


def test_a_bad_request_with_a_schema_is_still_an_error(store: AnswerStore) -> None:
    request = make_request("a", schema={"type": "object"})
    with pytest.raises(ServerError, match="status 400"):
        ask_one(store, Behaviour(always={"a": "400"}), request)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "localhost:8000/v1"}, "is not an address"),
        ({"base_url": "http://user:pass@host/v1"}, r"'http://\*\*\*@host/v1' is not an address"),
        ({"api_key": "sk-\u00e9"}, "holds spaces or characters"),
        ({"api_key": "two words"}, "holds spaces or characters"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"concurrency": 5000}, "Accepted: 1 to 1000"),
        ({"timeout": float("nan")}, "timeout is nan"),
    ],
)
def test_a_server_that_cannot_be_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidInputError, match=words) as caught:
        Server(**{"base_url": "http://localhost:8000/v1", **settings})
    for secret in ("pass@", "sk-", "two words"):
        assert secret not in str(caught.value)


def test_the_key_comes_from_the_environment(
    store: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    with serve_faults(Behaviour(key=KEY)) as server:
        assert complete_all([make_request("a")], store, Server(server.url)).progress.answered == 1
    monkeypatch.delenv("OPENAI_API_KEY")
    with serve_faults(Behaviour()) as server:
        assert complete_all([make_request("b")], store, Server(server.url)).progress.answered == 1
    assert KEY not in json.dumps([outcome.text for _, outcome in store.items()])  # type: ignore[union-attr]
