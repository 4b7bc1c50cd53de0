"""Servers that are broken or hostile: nothing is lost, leaked, paid twice or waited for in vain."""

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from asking import KEY, make_request
from scripted_server import (
    Received,
    make_answer,
    make_gzipped_reply,
    make_reply,
    send_endlessly,
    serve_script,
)

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    Failure,
    FailureKind,
    Prices,
    Server,
    ServerError,
    complete_all,
)
from personamem.dataset_builder.llm.cost import bound_cost

pytestmark = pytest.mark.system

MEGABYTES = 40
"""By how much a process may grow over a body without an end; unpacked, they are gigabytes."""

_ASK = """
import json, resource, sys
from pathlib import Path
from personamem.dataset_builder.llm import AnswerStore, Request, Server, complete_all

def ask(url, path, prompt):
    request = Request("m", ({"role": "user", "content": prompt},))
    with AnswerStore(Path(path)) as store:
        server = Server(url, timeout=10.0, attempts=1)
        summary = complete_all([request], store, server)
        return str(summary.failures[0][1].kind) if summary.failures else store.get(request.key).text

ask(sys.argv[1], sys.argv[3], "warm up")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = ask(sys.argv[2], sys.argv[3], "hello")
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([found, grown / 1024]))
"""


@pytest.mark.parametrize("is_packed", [True, False], ids=["gzip bomb", "endless"])
@pytest.mark.parametrize(
    ("status", "expected"), [(200, FailureKind.TOO_LONG), (500, FailureKind.UNANSWERED)]
)
def test_no_body_fills_the_memory(
    tmp_path: Path, status: int, is_packed: bool, expected: FailureKind
) -> None:
    bomb = make_gzipped_reply(status, 300) if is_packed else b""

    def reply(_: Received) -> Iterable[bytes]:
        return [bomb] if is_packed else send_endlessly(status)

    with serve_script(lambda _: [make_answer()]) as good, serve_script(reply) as bad:
        command = [sys.executable, "-c", _ASK, good.url, bad.url, str(tmp_path / "store")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found, grown = json.loads(done.stdout)
    assert found == str(expected)
    assert grown < MEGABYTES


_ESCAPED = "".join(f"\\u{ord(character):04x}" for character in KEY)


@pytest.mark.parametrize(
    "reply",
    [
        make_answer(f"your key is {KEY}"),
        make_reply(200, f'{{"choices": [{{"message": {{"content": "{_ESCAPED}"}}}}]}}'.encode()),
        make_answer(model=f"model-{KEY}"),
        make_answer(finish_reason=f"Bearer {KEY}"),
        make_answer(content=None, refusal=f"I know {KEY}"),
        make_reply(400, f'{{"error": "{KEY} exceeds the context length"}}'.encode()),
    ],
    ids=["content", "escaped content", "model", "finish_reason", "refusal", "refused prompt"],
)
def test_an_echoed_key_is_never_stored(tmp_path: Path, reply: bytes) -> None:
    request, path = make_request("hello"), tmp_path / "store"
    with serve_script(lambda _: [reply]) as server, AnswerStore(path) as store:
        complete_all([request], store, Server(server.url, KEY))
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        outcome = store.get(request.key)
    assert outcome is not None
    assert "***" in str(outcome)
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes(), file.name


def test_a_short_key_is_a_word_like_any_other(store: AnswerStore) -> None:
    # Servers on one's own machine are given keys such as "EMPTY" and "x".
    request = make_request("hello")
    with serve_script(lambda _: [make_answer("EMPTY boxes")]) as server:
        complete_all([request], store, Server(server.url, "EMPTY"))
    outcome = store.get(request.key)
    assert isinstance(outcome, Answer)
    assert outcome.text == "EMPTY boxes"


@pytest.mark.parametrize(
    "count",
    ["9" * 4000, "9" * 5000, "-5", "NaN", "1e400", "true", '"7"', "1000000000001"],
    ids=["4,000 digits", "5,000 digits", "negative", "NaN", "inf", "true", "text", "too many"],
)
def test_absurd_counts_of_tokens_are_unknown(store: AnswerStore, count: str) -> None:
    prices = Prices(1.0, 0.5, 2.0)
    request = make_request("hello", parameters={"max_tokens": 10})
    body = (
        '{"choices": [{"message": {"content": "fine"}}], "usage": {"prompt_tokens": COUNT, '
        '"completion_tokens": COUNT, "prompt_tokens_details": {"cached_tokens": COUNT}}}'
    ).replace("COUNT", count)
    with serve_script(lambda _: [make_reply(200, body.encode())]) as server:
        summary = complete_all([request], store, Server(server.url), prices=prices, budget=1.0)
        assert len(server.received) == 1
    assert store.get(request.key) == Answer("fine", None, None, None, None, None)
    assert summary.progress.cost == pytest.approx(bound_cost(request, prices))


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_no_prompt_follows_a_redirect_to_another_server(store: AnswerStore, status: int) -> None:
    with serve_script(lambda _: [make_answer()]) as other:
        location = f"{other.url}/chat/completions"
        redirect = make_reply(status, location=location)
        with serve_script(lambda _: [redirect]) as server:
            started = time.monotonic()
            with pytest.raises(ServerError) as caught:
                complete_all([make_request("hello")], store, Server(server.url, KEY))
            assert time.monotonic() - started < 5
    assert other.received == []
    assert len(server.received) == 1
    assert f"status {status}" in str(caught.value)
    assert location in str(caught.value)
    assert "no prompt was sent there" in str(caught.value)


def test_a_redirect_on_the_same_server_is_followed(store: AnswerStore) -> None:
    def answer(received: Received) -> list[bytes]:
        if received.path == "/moved":
            return [make_answer()]
        return [make_reply(308, location="/moved")]

    with serve_script(answer) as server:
        complete_all([make_request("hello")], store, Server(server.url, KEY))
    assert [received.path for received in server.received] == ["/v1/chat/completions", "/moved"]
    assert len({received.body for received in server.received}) == 1
    assert len(store) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (make_reply(204), "status 204"),
        (make_reply(202, b"{}"), "status 202"),
        (make_reply(307, location="/v1/chat/completions"), "redirects in a circle"),
        (make_reply(307), "status 307"),
        (make_reply(307, location="http://[half"), "status 307"),
        (make_reply(304), "status 304"),
        (
            make_reply(200, b'data: {"choices": []}\n\n', content_type="text/event-stream"),
            "streams events",
        ),
        (make_reply(200, b"abc", content_encoding="br"), "encoded as 'br'"),
    ],
)
def test_a_reply_that_will_not_pass_is_an_error_at_once(
    store: AnswerStore, reply: bytes, words: str
) -> None:
    started = time.monotonic()
    with serve_script(lambda _: [reply]) as server, pytest.raises(ServerError, match=words):
        complete_all([make_request("hello")], store, Server(server.url, patience=20.0))
    assert time.monotonic() - started < 5


def test_an_error_that_trickles_is_read_for_seconds_only(store: AnswerStore) -> None:
    def trickle(_: Received) -> Any:
        yield make_reply(400, length=-1)
        for _number in range(300):
            yield b"slowly "
            time.sleep(0.1)

    started = time.monotonic()
    with serve_script(trickle) as server, pytest.raises(ServerError, match=r"status 400.*slowly"):
        complete_all([make_request("hello")], store, Server(server.url))
    assert time.monotonic() - started < 10


def test_a_gzipped_body_is_unpacked(store: AnswerStore) -> None:
    request = make_request("hello")
    packed = make_gzipped_reply(200, 1)
    with serve_script(lambda _: [packed]) as server:
        asked = Server(server.url, attempts=1, max_bytes=2**20)
        [(_, failure)] = complete_all([request], store, asked).failures
    assert failure == Failure(
        FailureKind.UNANSWERED,
        "1 attempts failed, the last by: status 200, but a body that is not whole JSON: ''",
    )
