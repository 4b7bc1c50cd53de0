"""``answer_all`` and ``fill_store`` against a server in another process."""

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from answering_process import make_requests
from fault_server import Behaviour, answer_to, serve_faults

from personamem.dataset_builder.answers import (
    Answer,
    AnswerStore,
    BudgetSpentError,
    Failure,
    FailureKind,
    Prices,
    Progress,
    Request,
    Server,
    ServerError,
    StoreError,
    answer_all,
    fill_store,
)
from personamem.dataset_builder.errors import InvalidInputError, PersonamemError

KEY = "sk-secret-4711"
PRICES = Prices(1.0, 0.5, 2.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    with AnswerStore(tmp_path / "answers.sqlite") as opened:
        yield opened


def make_request(prompt: str, **settings: Any) -> Request:
    return Request("stub", ({"role": "user", "content": prompt},), **settings)


def ask_one(store: AnswerStore, behaviour: Behaviour, request: Request, **settings: Any) -> Any:
    """The outcome of one request, and how often it was asked."""
    prompt = request.messages[-1]["content"]
    with serve_faults(behaviour) as server:
        fill_store([request], store, Server(server.url, KEY, **settings))
        asked = server.counts[prompt]["asked"]
    return store.get(request.key), asked


def test_an_answer_is_stored_with_what_the_server_says_of_it(store: AnswerStore) -> None:
    outcome, asked = ask_one(store, Behaviour(key=KEY), make_request("four words of text"))
    expected = Answer(answer_to("four words of text"), "stop", "stub-1", 4, 20, 2)
    assert (outcome, asked) == (expected, 1)


def test_answers_are_yielded_with_their_requests_and_iterators_are_drawn_late(
    store: AnswerStore,
) -> None:
    drawn: list[int] = []

    def draw() -> Iterator[Request]:
        for number, request in enumerate(make_requests(400)):
            drawn.append(number)
            yield request

    async def run(url: str) -> list[int]:
        ahead = []
        answers = answer_all(draw(), store, Server(url, concurrency=4))
        async for request, outcome in answers:
            assert isinstance(outcome, Answer)
            assert outcome.text == answer_to(request.messages[-1]["content"])
            ahead.append(len(drawn) - len(ahead))
        return ahead

    with serve_faults(Behaviour()) as server:
        ahead = asyncio.run(run(server.url))
    assert len(ahead) == 400
    assert max(ahead) < 50


def test_the_same_request_twice_is_asked_once(store: AnswerStore) -> None:
    requests = [request for request in make_requests(5) for _ in range(4)]
    with serve_faults(Behaviour(latency=0.1)) as server:
        progress = fill_store(requests, store, Server(server.url)).progress
        assert {one["asked"] for one in server.counts.values()} == {1}
    assert (progress.done, progress.answered, progress.stored) == (20, 5, 15)


def test_what_is_stored_needs_no_server(store: AnswerStore) -> None:
    with serve_faults(Behaviour()) as server:
        fill_store(make_requests(5), store, Server(server.url))
    filled = fill_store(make_requests(5), store, Server("http://127.0.0.1:9/v1"))
    assert (filled.progress.stored, filled.progress.attempts) == (5, 0)


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
            fill_store(make_requests(50), store, Server(server.url, KEY, concurrency=2))
        assert sum(one["asked"] for one in server.counts.values()) <= 3
    message = str(caught.value)
    assert f"model 'stub': status {status}" in message
    assert words in message
    assert "your key is ***, model stub" in message
    for text in (message, caplog.text, repr(caught.value), repr(Server("http://a", KEY))):
        assert KEY not in text


def test_requests_under_way_are_kept_when_another_is_refused(store: AnswerStore) -> None:
    requests = make_requests(4)
    refused = requests[-1].messages[-1]["content"]
    behaviour = Behaviour(latency=0.3, always={refused: "404"})
    with serve_faults(behaviour) as server, pytest.raises(ServerError):
        fill_store(requests, store, Server(server.url, concurrency=4))
    assert len(store) == 3


def test_no_money_left_is_no_reason_to_wait(store: AnswerStore) -> None:
    behaviour = Behaviour(faults={"429": 1.0}, code="insufficient_quota")
    with pytest.raises(ServerError, match="insufficient_quota"):
        ask_one(store, behaviour, make_request("a"))


@pytest.mark.parametrize("status", ["503", "cut", "empty", "drop"])
def test_a_request_that_always_fails_is_a_failure_that_another_run_tries_again(
    store: AnswerStore, status: str
) -> None:
    request = make_request("bad")
    others = make_requests(3)
    with serve_faults(Behaviour(always={"bad": status})) as server:
        asked = Server(server.url, attempts=3)
        filled = fill_store([request, *others], store, asked)
        assert server.counts["bad"]["asked"] == 3
    [(failed, failure)] = filled.failures
    assert failed == request
    assert failure.kind is FailureKind.UNANSWERED
    assert failure.reason.startswith("3 attempts failed, the last by: ")
    assert store.get(request.key) is None
    assert len(store) == 3
    outcome, _ = ask_one(store, Behaviour(), request)
    assert isinstance(outcome, Answer)


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(store: AnswerStore) -> None:
    behaviour = Behaviour(seed=3, faults={"429": 0.5}, retry_after="1")
    prompt = next(f"p {n}" for n in range(99) if len(draws(behaviour, f"p {n}")) == 2)
    started = time.monotonic()
    # One fault would be one too many, if a busy server's counted.
    outcome, asked = ask_one(store, behaviour, make_request(prompt), attempts=1)
    assert isinstance(outcome, Answer)
    assert asked == 3
    assert 2.0 <= time.monotonic() - started < 5.0


def draws(behaviour: Behaviour, prompt: str) -> list[str]:
    """The faults that a prompt meets before it is answered."""
    from fault_server import FaultServer

    server = FaultServer(behaviour)
    faults: list[str] = []
    while fault := server._draw(prompt, len(faults) + 1):
        faults.append(fault)
    return faults


def test_a_pause_beyond_patience_is_an_error(store: AnswerStore) -> None:
    behaviour = Behaviour(faults={"429": 1.0}, retry_after="3600")
    with pytest.raises(ServerError, match="left alone for 3,600 s, and is waited for no longer"):
        ask_one(store, behaviour, make_request("a"))


def test_a_server_that_stays_away_is_given_up(store: AnswerStore) -> None:
    said: list[str] = []
    server = Server("http://127.0.0.1:9/v1", patience=1.2)
    with pytest.raises(ServerError, match=r"answered nothing for \d s.*no connection"):
        fill_store(
            make_requests(50), store, server, report=lambda progress: said.append(progress.trouble)
        )
    assert any("no connection" in trouble for trouble in said)


@pytest.mark.parametrize("status", ["", "503"])
def test_an_outage_burns_no_attempts(store: AnswerStore, status: str) -> None:
    behaviour = Behaviour(latency=0.01, outage_after=20, outage_seconds=2.5, outage_status=status)
    said: list[Progress] = []
    with serve_faults(behaviour) as server:
        asked = Server(server.url, concurrency=8, attempts=2)
        filled = fill_store(make_requests(40), store, asked, report=said.append)
        counts = server.counts
    assert (filled.progress.answered, filled.failures) == (40, ())
    assert max(one["asked"] for one in counts.values()) == 2 or status
    # Eight were cut off, eight more found nobody; then one at a time tried.
    assert filled.progress.attempts <= 40 + 8 + 8 + 6
    assert any(progress.trouble for progress in said)
    assert said[-1].trouble == ""


def test_an_unknown_host_is_an_error_at_once(store: AnswerStore) -> None:
    started = time.monotonic()
    with pytest.raises(ServerError, match="no connection"):
        fill_store([make_request("a")], store, Server("http://no-such-host.invalid/v1"))
    assert time.monotonic() - started < 5


def test_a_web_page_is_a_wrong_address(store: AnswerStore) -> None:
    with pytest.raises(ServerError, match="base_url mostly ends in /v1"):
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


def test_a_slow_answer_is_given_up(store: AnswerStore) -> None:
    request = make_request("a")
    with serve_faults(Behaviour(always={"a": "hang"})) as server:
        filled = fill_store([request], store, Server(server.url, timeout=0.2, attempts=2))
    assert filled.failures[0][1].reason == "2 attempts failed, the last by: no answer within 0.2 s"


def test_an_answer_of_a_million_tokens_is_a_failure_that_lasts(store: AnswerStore) -> None:
    behaviour = Behaviour(answers={"a": "word " * 1_000_000})
    outcome, asked = ask_one(store, behaviour, make_request("a"))
    assert outcome == Failure(FailureKind.TOO_LONG, "an answer of more than 1,048,576 bytes")
    assert asked == 1
    filled = fill_store([make_request("a")], store, Server("http://127.0.0.1:9/v1"))
    assert [failure for _, failure in filled.failures] == [outcome]


def test_a_prompt_that_the_model_cannot_take_fails_alone(store: AnswerStore) -> None:
    message = "The maximum context length is 10 tokens."
    request = make_request("long")
    behaviour = Behaviour(always={"long": "400"}, message=message)
    with serve_faults(behaviour) as server:
        filled = fill_store([request, *make_requests(3)], store, Server(server.url))
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
        filled = fill_store(requests, store, Server(server.url, concurrency=1))
        asked = [server.counts[f"p {n}"]["asked"] for n in range(6)]
    assert filled.progress.answered == 6
    # The first refusal is remembered.
    assert sorted(asked) == ([1] * 6 if takes_schema else [1, 1, 1, 1, 1, 2])


def test_a_bad_request_with_a_schema_is_still_an_error(store: AnswerStore) -> None:
    request = make_request("a", schema={"type": "object"})
    with pytest.raises(ServerError, match="status 400"):
        ask_one(store, Behaviour(always={"a": "400"}), request)


def test_a_budget_stops_cleanly_and_is_not_exceeded(store: AnswerStore) -> None:
    requests = make_requests(100)  # An answer costs 41.5 millionths: 2 + 40 tokens, one cached.
    behaviour = Behaviour(latency=0.05)
    last = Progress()

    def note(progress: Progress) -> None:
        nonlocal last
        last = progress

    with serve_faults(behaviour) as server:
        asked = Server(server.url, concurrency=16)
        with pytest.raises(BudgetSpentError, match=r"budget of 0.001 leaves no room") as caught:
            fill_store(requests, store, asked, prices=PRICES, budget=0.001, report=note)
        assert sum(one["asked"] for one in server.counts.values()) == len(store)
        assert f"{last.cost:.4g} is spent" in str(caught.value)
        # The bound of the next one, 100 tokens of an answer and its prompt, does not fit.
        assert 0.001 - 0.00025 < last.cost <= 0.001
        assert last.answered == len(store) == round(last.cost / 41.5e-6)
        filled = fill_store(requests, store, asked, prices=PRICES, budget=1.0)
    assert filled.progress.cost == pytest.approx((100 - last.answered) * 41.5e-6)
    assert len(store) == 100


def test_a_budget_lets_requests_wait_for_each_other(store: AnswerStore) -> None:
    # Two bounds of 116 millionths do not fit, one beside the 41.5 of an answer does.
    with serve_faults(Behaviour(latency=0.1)) as server:
        asked = Server(server.url, concurrency=2)
        filled = fill_store(make_requests(2), store, asked, prices=PRICES, budget=0.00018)
        assert server.most_at_once == 1
    assert filled.progress.answered == 2


def test_a_budget_needs_a_bound(store: AnswerStore) -> None:
    with serve_faults(Behaviour()) as server:
        asked = Server(server.url)
        with pytest.raises(InvalidInputError, match="sets no max_tokens"):
            fill_store([make_request("a")], store, asked, prices=PRICES, budget=1.0)
        with pytest.raises(InvalidInputError, match=r"A budget is -1\. Accepted: above 0"):
            fill_store([make_request("a")], store, asked, prices=PRICES, budget=-1)
        assert server.counts == {}


def test_a_consumer_that_stops_leaves_the_store_whole(store: AnswerStore) -> None:
    async def run(url: str) -> None:
        answers = answer_all(make_requests(50), store, Server(url, concurrency=4))
        async for _ in answers:
            break
        await answers.aclose()  # type: ignore[attr-defined]

    with serve_faults(Behaviour(latency=0.05)) as server:
        asyncio.run(run(server.url))
        assert 1 <= len(store) < 20
        filled = fill_store(make_requests(50), store, Server(server.url))
    assert filled.progress.done == 50


def test_an_error_of_the_requests_ends_the_run(store: AnswerStore) -> None:
    def draw() -> Iterator[Request]:
        yield from make_requests(3)
        raise PersonamemError("no more plans")

    with serve_faults(Behaviour()) as server, pytest.raises(PersonamemError, match="no more plans"):
        fill_store(draw(), store, Server(server.url))


def test_a_full_store_is_an_error_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with serve_faults(Behaviour()) as server, AnswerStore(path) as store:
        fill_store(make_requests(20), store, Server(server.url))
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="make room on the disk"):
            fill_store(make_requests(400), store, Server(server.url))
        assert 20 <= len(store) < 400
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT COUNT(*) FROM claims").fetchone() == (0,)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_url": "localhost:8000/v1"}, "is not an address"),
        ({"base_url": "http://user:pass@host/v1"}, r"'http://\*\*\*@host/v1' is not an address"),
        ({"api_key": "sk-\u00e9"}, "holds spaces or letters"),
        ({"api_key": "two words"}, "holds spaces or letters"),
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
        assert fill_store([make_request("a")], store, Server(server.url)).progress.answered == 1
    monkeypatch.delenv("OPENAI_API_KEY")
    with serve_faults(Behaviour()) as server:
        assert fill_store([make_request("b")], store, Server(server.url)).progress.answered == 1
    assert KEY not in json.dumps([outcome.text for _, outcome in store.items()])  # type: ignore[union-attr]
