"""Batches of requests: stored as they come, with what follows from them in the next."""

from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from asking import make_request

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    Failure,
    FailureKind,
    Outcome,
    Progress,
    Request,
    ServerError,
    StoreError,
    fill_in_batches,
)

Pairs = Generator[tuple[Request, Outcome]]
UNANSWERED = Failure(FailureKind.UNANSWERED, "the engine stumbled")


def answer_to(request: Request) -> Answer:
    return Answer(request.messages[-1]["content"].upper(), "stop", request.model, 7, 3, None)


class Engine:
    """Answers in capital letters, the last request first, but for what ``wrong`` says."""

    def __init__(self, wrong: Callable[[Request], Outcome | None] = lambda request: None) -> None:
        self.wrong = wrong
        self.batches: list[list[str]] = []

    def __call__(self, requests: Sequence[Request]) -> Pairs:
        self.batches.append([request.messages[-1]["content"] for request in requests])
        for request in reversed(requests):
            yield request, self.wrong(request) or answer_to(request)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        yield store


def test_all_are_answered_in_one_batch_and_the_same_request_once(store: AnswerStore) -> None:
    engine = Engine()
    said: list[Progress] = []
    requests = [make_request(text) for text in ("a", "b", "a", "c")]
    filled = fill_in_batches(requests, store, engine, report=said.append)
    assert engine.batches == [["a", "b", "c"]]
    assert [store.get(request.key) for request in requests] == [*map(answer_to, requests)]
    last = filled.progress
    assert (last.total, last.answered, last.stored, last.attempts) == (4, 3, 1, 3)
    assert (last.prompt_tokens, last.completion_tokens) == (21, 9)
    assert [said[0].trouble, last.trouble] == ["the engine starts", ""]
    assert fill_in_batches(requests, store, Engine()).progress.stored == 4
    assert len(engine.batches) == 1


def test_what_follows_makes_the_next_batch(store: AnswerStore) -> None:
    texts = ["a", "aa", "aaa"]
    then = {make_request(old).key: make_request(new) for old, new in pairwise(texts)}
    engine = Engine()
    requests = [make_request("a"), make_request("b")]
    filled = fill_in_batches(
        requests, store, engine, follow=lambda request, outcome: then.get(request.key)
    )
    assert engine.batches == [["a", "b"], ["aa"], ["aaa"]]
    assert (filled.progress.total, filled.progress.done) == (4, 4)
    # And over what is stored.
    again = Engine()
    fill_in_batches(requests, store, again, follow=lambda one, outcome: then.get(one.key))
    assert again.batches == []


def test_a_batch_that_breaks_keeps_what_it_has_answered(store: AnswerStore) -> None:
    def break_off(request: Request) -> Outcome | None:
        if request.messages[-1]["content"] == "b":
            raise RuntimeError("killed")
        return None

    requests = [make_request(text) for text in ("a", "b", "c")]
    with pytest.raises(RuntimeError, match="killed"):
        fill_in_batches(requests, store, Engine(break_off))
    assert [store.get(request.key) is None for request in requests] == [True, True, False]
    engine = Engine()
    fill_in_batches(requests, store, engine)
    assert engine.batches == [["a", "b"]]


def test_failures_are_told_and_only_those_that_last_are_stored(store: AnswerStore) -> None:
    refused = Failure(FailureKind.REFUSED, "too long")
    wrong = {"b": UNANSWERED, "c": refused}
    requests = [make_request(text) for text in ("a", "b", "c")]
    filled = fill_in_batches(
        requests, store, Engine(lambda request: wrong.get(request.messages[-1]["content"]))
    )
    assert filled.failures == ((requests[2], refused), (requests[1], UNANSWERED))
    assert filled.progress.failed == 2
    assert store.get(requests[1].key) is None
    assert store.get(requests[2].key) == refused


def test_an_engine_that_answers_nothing_is_an_error(store: AnswerStore) -> None:
    with pytest.raises(ServerError, match="none of 2 requests, the first by: the engine stumbled"):
        fill_in_batches(
            [make_request("a"), make_request("b")], store, Engine(lambda request: UNANSWERED)
        )
    assert len(store) == 0


def test_an_engine_that_has_answered_may_fail_at_what_follows(store: AnswerStore) -> None:
    first, second = make_request("a"), make_request("b")
    engine = Engine(lambda request: UNANSWERED if request == second else None)
    filled = fill_in_batches(
        [first], store, engine, follow=lambda request, _: second if request == first else None
    )
    assert engine.batches == [["a"], ["b"]]
    assert filled.failures == ((second, UNANSWERED),)


def test_a_store_in_use_is_an_error_before_the_engine_starts(store: AnswerStore) -> None:
    first, second, engine = make_request("a"), make_request("b"), Engine()
    with AnswerStore(store.path) as other:
        other.put(first, answer_to(first))
        assert fill_in_batches([first], store, engine).progress.stored == 1
        with pytest.raises(StoreError, match="is in use by another run"):
            fill_in_batches([first, second], store, engine)
    assert engine.batches == []
    fill_in_batches([first, second], store, engine)
    assert engine.batches == [["b"]]
