"""``answer_all`` and ``complete_all`` against a server in another process."""

import asyncio
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from answering_process import make_requests
from asking import KEY, ask_one, make_request
from fault_server import Behaviour, answer_to, serve_faults
from scripted_server import find_closed_port

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    BudgetSpentError,
    FailureKind,
    Outcome,
    Prices,
    Progress,
    Request,
    Server,
    ServerError,
    StoreError,
    answer_all,
    complete_all,
)
from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

pytestmark = pytest.mark.system

PRICES = Prices(1.0, 0.5, 2.0)


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
        progress = complete_all(requests, store, Server(server.url)).progress
        assert {one["asked"] for one in server.counts.values()} == {1}
    assert (progress.done, progress.answered, progress.stored) == (20, 5, 15)


def test_what_follows_from_an_answer_is_asked_while_others_are_under_way(
    store: AnswerStore,
) -> None:
    chain = make_requests(8)
    then = {request.key: following for request, following in pairwise(chain)}
    seen: list[str] = []

    def follow(request: Request, outcome: Outcome) -> Request | None:
        seen.append(request.key)
        return then.get(request.key)

    silent = make_request("nobody answers")
    with serve_faults(Behaviour(always={"nobody answers": "hang"})) as server:
        asked = Server(server.url, timeout=2.0, attempts=1)
        progress = complete_all([chain[0], silent], store, asked, follow=follow).progress
    assert seen == [request.key for request in (*chain, silent)]
    assert (progress.done, progress.total, progress.answered, progress.failed) == (9, 9, 8, 1)


def test_what_is_stored_needs_no_server(store: AnswerStore) -> None:
    with serve_faults(Behaviour()) as server:
        complete_all(make_requests(5), store, Server(server.url))
    filled = complete_all(make_requests(5), store, Server("http://127.0.0.1:9/v1"))
    assert (filled.progress.stored, filled.progress.attempts) == (5, 0)


def test_requests_under_way_are_kept_when_another_is_refused(store: AnswerStore) -> None:
    requests = make_requests(4)
    refused = requests[-1].messages[-1]["content"]
    behaviour = Behaviour(latency=0.3, always={refused: "404"})
    with serve_faults(behaviour) as server, pytest.raises(ServerError):
        complete_all(requests, store, Server(server.url, concurrency=4))
    assert len(store) == 3


@pytest.mark.parametrize("status", ["503", "cut", "empty", "drop"])
def test_a_request_that_always_fails_is_a_failure_that_another_run_tries_again(
    store: AnswerStore, status: str
) -> None:
    request = make_request("bad")
    others = make_requests(3)
    with serve_faults(Behaviour(always={"bad": status})) as server:
        asked = Server(server.url, attempts=3)
        filled = complete_all([request, *others], store, asked)
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
    with pytest.raises(ServerError, match="left alone for 3,600 s; the most to wait is 600 s"):
        ask_one(store, behaviour, make_request("a"))


@pytest.mark.parametrize("patience", ["patience", "first_patience"])
def test_a_server_that_never_replied_is_soon_given_up(store: AnswerStore, patience: str) -> None:
    said: list[str] = []
    server = Server(f"http://127.0.0.1:{find_closed_port()}/v1", **{patience: 1.2})  # type: ignore[arg-type]
    assert Server("http://localhost").first_patience == 60.0
    started = time.monotonic()
    words = r"has not replied once in \d s: no connection.*whether the server is running"
    with pytest.raises(ServerError, match=words):
        complete_all(
            make_requests(50), store, server, report=lambda progress: said.append(progress.trouble)
        )
    assert time.monotonic() - started < 10
    assert any("no connection" in trouble for trouble in said)


def test_a_server_that_has_replied_is_waited_for(store: AnswerStore) -> None:
    behaviour = Behaviour(outage_after=1, outage_seconds=60.0, outage_status="503")
    with serve_faults(behaviour) as server:
        asked = Server(server.url, first_patience=0.5, patience=3.0)
        with pytest.raises(ServerError, match=r"answered nothing for 3 s.*status 503"):
            complete_all(make_requests(20), store, asked)


@pytest.mark.parametrize(
    ("status", "most"),
    [
        # Eight are cut off, eight more find nobody; then one at a time tries, each half second.
        ("", 8 + 8 + 6),
        # Answers from before it come in between, so each of the requests from the twentieth on may
        # fail once before it is noticed; then one at a time tries.
        ("503", 21 + 5),
    ],
)
def test_an_outage_burns_no_attempts(store: AnswerStore, status: str, most: int) -> None:
    behaviour = Behaviour(latency=0.01, outage_after=20, outage_seconds=2.5, outage_status=status)
    said: list[Progress] = []
    with serve_faults(behaviour) as server:
        asked = Server(server.url, concurrency=8, attempts=2, first_patience=0.5)
        filled = complete_all(make_requests(40), store, asked, report=said.append)
        counts = server.counts
    assert (filled.progress.answered, filled.failures) == (40, ())
    assert max(one["asked"] for one in counts.values()) == 2 or status
    assert filled.progress.attempts <= 40 + most
    assert any(progress.trouble for progress in said)
    assert said[-1].trouble == ""


def test_a_slow_answer_is_given_up(store: AnswerStore) -> None:
    request = make_request("a")
    with serve_faults(Behaviour(always={"a": "hang"})) as server:
        filled = complete_all([request], store, Server(server.url, timeout=0.2, attempts=2))
    assert filled.failures[0][1].reason == "2 attempts failed, the last by: no answer within 0.2 s"


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
            complete_all(requests, store, asked, prices=PRICES, budget=0.001, report=note)
        assert sum(one["asked"] for one in server.counts.values()) == len(store)
        assert f"{last.cost:.4g} is spent" in str(caught.value)
        # The bound of the next one, 100 tokens of an answer and its prompt, does not fit.
        assert 0.001 - 0.00025 < last.cost <= 0.001
        assert last.answered == len(store) == round(last.cost / 41.5e-6)
        filled = complete_all(requests, store, asked, prices=PRICES, budget=1.0)
    assert filled.progress.cost == pytest.approx((100 - last.answered) * 41.5e-6)
    assert len(store) == 100


def test_a_budget_lets_requests_wait_for_each_other(store: AnswerStore) -> None:
    # Two bounds of 116 millionths do not fit, one beside the 41.5 of an answer does.
    with serve_faults(Behaviour(latency=0.1)) as server:
        asked = Server(server.url, concurrency=2)
        filled = complete_all(make_requests(2), store, asked, prices=PRICES, budget=0.00018)
        assert server.most_at_once == 1
    assert filled.progress.answered == 2


def test_a_budget_needs_a_bound(store: AnswerStore) -> None:
    with serve_faults(Behaviour()) as server:
        asked = Server(server.url)
        with pytest.raises(InvalidInputError, match="sets no max_tokens"):
            complete_all([make_request("a")], store, asked, prices=PRICES, budget=1.0)
        with pytest.raises(InvalidInputError, match=r"A budget is -1\. Accepted: above 0"):
            complete_all([make_request("a")], store, asked, prices=PRICES, budget=-1)
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
        filled = complete_all(make_requests(50), store, Server(server.url))
    assert filled.progress.done == 50


def test_an_error_of_the_requests_ends_the_run(store: AnswerStore) -> None:
    def draw() -> Iterator[Request]:
        yield from make_requests(3)
        raise PersonamemError("no more plans")

    with serve_faults(Behaviour()) as server, pytest.raises(PersonamemError, match="no more plans"):
        complete_all(draw(), store, Server(server.url))


def test_a_full_store_is_an_error_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with serve_faults(Behaviour()) as server, AnswerStore(path) as store:
        complete_all(make_requests(20), store, Server(server.url))
        pages = store._database.execute("PRAGMA page_count").fetchone()[0]
        store._database.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreError, match="make room on the disk"):
            complete_all(make_requests(400), store, Server(server.url))
        assert 20 <= len(store) < 400
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
