"""Chat APIs, against a real server: order, usage, and every way in which a server can fail."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, answer, serve_chat
from scripted_server import (
    find_closed_port,
    make_answer,
    make_gzipped_reply,
    make_reply,
    send_endlessly,
    serve_script,
)

from personamem.loaders import read_letter
from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.models import api
from personamem.tasks.models.replies import RequestFailedError
from personamem.tasks.models.wrapping import wrap_model

pytestmark = pytest.mark.system

RunChat = Callable[..., dict[str, Any]]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serve_chat() as chat:
        yield chat


@pytest.fixture
def run_chat(
    tasks_folder: Path, ours: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> RunChat:
    """Return a function that evaluates the server as personamem eval does; it keeps the model."""
    import lm_eval.models
    from lm_eval.api.registry import model_registry
    from lm_eval.tasks import TaskManager

    monkeypatch.setattr(model_registry, "_objs", dict(model_registry._objs))
    model = wrap_model("local-chat-completions", "tested")
    manager = TaskManager(
        include_path=str(tasks_folder), include_defaults=False, metadata={"dataset": str(ours)}
    )

    def run(task: str = "personamem_4k", **model_args: Any) -> dict[str, Any]:
        report: dict[str, Any] = lm_eval.evaluate(
            lm=model(**{"model": "m", "base_url": server.url, **model_args}),
            task_dict=manager.load([task]),
            apply_chat_template=True,
            bootstrap_iters=0,
        )
        return {"samples": report["samples"][task], "usage": model.usage}

    return run


def check_all_answered(samples: list[dict[str, Any]], server: ChatServer) -> None:
    """Every question has the reply that the server gave to that very question."""
    by_turn = {turn: answer(body) for turn, body in zip(server.turns, server.bodies, strict=True)}
    assert len(samples) == 8
    for sample in samples:
        (turn,) = [turn for turn in by_turn if sample["doc"]["user_question_or_message"] in turn]
        assert sample["resps"] == [[by_turn[turn]]]
        letter = read_letter(by_turn[turn])
        assert sample["acc"] == float(f"({letter})" == sample["doc"]["correct_answer"])


def test_requests_go_out_by_context_and_end_and_usage_is_summed(
    run_chat: RunChat, server: ChatServer
) -> None:
    done = run_chat()
    check_all_answered(done["samples"], server)
    lengths = [len(body["messages"]) for body in server.bodies]
    firsts = [body["messages"][0]["content"] for body in server.bodies]
    assert firsts == sorted(firsts)
    assert len(set(firsts)) == 3
    places = list(zip(firsts, lengths, strict=True))
    assert places == sorted(places)
    words = sum(len(m["content"].split()) for body in server.bodies for m in body["messages"])
    assert done["usage"].prompt == words
    assert f"prompt tokens {words:,}, of them cached" in done["usage"].describe()


@pytest.mark.parametrize(
    ("usage", "says"), [("hits", ", of them cached "), ("none", "does not report")]
)
def test_other_reports_of_usage(
    run_chat: RunChat, server: ChatServer, usage: str, says: str
) -> None:
    server.usage = usage
    done = run_chat("personamem_4k_nocontext")
    assert says in done["usage"].describe()


def test_concurrent_requests_are_neighbours(run_chat: RunChat, server: ChatServer) -> None:
    server.delay = 0.1
    done = run_chat(num_concurrent=3)
    check_all_answered(done["samples"], server)
    assert server.most_at_once == 3
    in_order = [sample["doc"]["user_question_or_message"] for sample in done["samples"]]
    arrived = [next(i for i, text in enumerate(in_order) if text in turn) for turn in server.turns]
    # Three workers draw from one queue: nobody overtakes by more than the other two.
    assert all(abs(place - number) <= 2 for number, place in enumerate(arrived))


def test_faults_that_pass_cost_no_answer(run_chat: RunChat, server: ChatServer) -> None:
    faults = ["429", "500", "503", "close", "no json", "no choices", "empty choices", "null"]
    server.faults = [word for fault in faults for word in (fault, "")]
    done = run_chat()
    check_all_answered(done["samples"], server)
    assert len(server.bodies) == 8 + 8


def test_retry_after_is_honoured(run_chat: RunChat, server: ChatServer) -> None:
    server.faults = ["429 later"]
    run_chat()
    assert 1.9 < server.times[1] - server.times[0] < 4


@pytest.mark.parametrize(
    ("fault", "parts"),
    [
        ("500", ["after 2 attempts", "status 500", "'fault 500'"]),
        ("429", ["after 2 attempts", "status 429"]),
        ("close", ["after 2 attempts", "the connection ended", "disconnected"]),
        ("hang", ["after 2 attempts", "no answer within 1 s"]),
        ("no json", ["after 2 attempts", "that is not whole JSON", "Welcome!"]),
        ("no choices", ["after 2 attempts", "without choices", "engine is asleep"]),
        ("empty choices", ["0 choices for 1 prompts"]),
        ("null", ["after 2 attempts", "without a text"]),
        ("null by length", ["after 1 attempt:", "'length'", "max_gen_toks"]),
        ("400", ["after 1 attempt:", "status 400", "'fault 400'"]),
    ],
)
def test_a_fault_that_stays_is_an_error_that_names_the_question(
    run_chat: RunChat, server: ChatServer, fault: str, parts: list[str]
) -> None:
    server.always = fault
    with pytest.raises(RequestFailedError) as raised:
        run_chat(max_retries=2, timeout=1)
    text = str(raised.value)
    assert text.startswith("Question q01 (4k): POST http://127.0.0.1")
    for part in parts:
        assert part in text


def test_an_empty_text_counts_where_the_model_stopped_by_itself(
    run_chat: RunChat, server: ChatServer
) -> None:
    server.faults = ["empty"]
    samples = run_chat()["samples"]
    assert samples[0]["resps"] == [[""]]
    assert samples[0]["unparsable"] == 1.0
    assert len(server.bodies) == 8


def test_lm_evals_placeholder_is_taken_where_it_is_set(
    run_chat: RunChat, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER", "no answer")
    server.faults = ["null"]
    assert run_chat()["samples"][0]["resps"] == [["no answer"]]
    assert len(server.bodies) == 8


KEY = "sk-secret-4711"


def test_a_key_that_no_header_can_carry_is_an_error(
    run_chat: RunChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\u00e9")
    with pytest.raises(InvalidInputError, match="header Authorization") as caught:
        run_chat()
    assert KEY not in str(caught.value)


def test_an_echoed_key_reaches_no_sample(
    run_chat: RunChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serve_script(lambda _: [make_answer(f"(a), and your key is {KEY}")]) as hostile:
        samples = run_chat(base_url=f"{hostile.url}/chat/completions")["samples"]
        assert {one.headers["authorization"] for one in hostile.received} == {f"Bearer {KEY}"}
    assert {sample["resps"][0][0] for sample in samples} == {"(a), and your key is ***"}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (make_reply(204), "status 204"),
        (make_reply(307, location="http://127.0.0.1:9/v1"), "no prompt was sent there"),
        (make_reply(307, location="/v1/chat/completions"), "redirects in a circle"),
        (make_reply(200, b"data: {}\n\n", content_type="text/event-stream"), "streams events"),
        (make_gzipped_reply(200, 20), "an answer of more than 4,194,304 bytes"),
        (
            make_reply(429, b'{"error": {"code": "insufficient_quota"}}'),
            "status 429 .*insufficient_quota",
        ),
        (make_reply(429, retry_after="3600"), "status 429"),
    ],
    ids=["204", "redirect", "circle", "events", "bomb", "no credit", "an hour"],
)
def test_what_will_not_pass_is_an_error_at_once(
    run_chat: RunChat, reply: bytes, words: str
) -> None:
    with (
        serve_script(lambda _: [reply]) as hostile,
        pytest.raises(RequestFailedError, match=f"after 1 attempt: .*{words}"),
    ):
        run_chat(base_url=f"{hostile.url}/chat/completions")


def test_an_error_without_an_end_is_cut_off(run_chat: RunChat) -> None:
    with (
        serve_script(lambda _: send_endlessly(500)) as hostile,
        pytest.raises(RequestFailedError, match="after 2 attempts: status 500, body"),
    ):
        run_chat(base_url=f"{hostile.url}/chat/completions", max_retries=2, timeout=60)


def test_a_server_that_never_replied_is_soon_given_up(
    run_chat: RunChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first pause is 0.25 to 0.5 seconds, the second 0.5 to 1.
    monkeypatch.setattr(api, "FIRST_PATIENCE", 0.2)
    port = find_closed_port()
    with pytest.raises(RequestFailedError, match=r"after 2 attempts: no connection"):
        run_chat(base_url=f"http://127.0.0.1:{port}/v1/chat/completions")
