"""The gateway: chats go on to the server with the user's key, everything is counted by line."""

import json
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError

import pytest
from replaying_server import refuse, serve_replies
from scripted_server import find_closed_port, serve_script

from personamem.loaders.memory.agentic import ChatModel
from personamem.loaders.memory.gateway import ChatServer, Gateway
from personamem.loaders.memory.meter import Usage
from personamem.loaders.memory.protocol import MemoryFailure

pytestmark = pytest.mark.system


def post(url: str, body: Any) -> Any:
    request = urllib.request.Request(url, json.dumps(body).encode())
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    opened = Gateway(lambda texts: [[float(len(text)), 1.0] for text in texts])
    yield opened
    opened.close()


def test_embeddings_come_in_order_and_are_counted_by_line(gateway: Gateway) -> None:
    (first, one), (_, other) = gateway.open_line(), gateway.open_line()
    reply = post(f"{first}/embeddings", {"input": ["abc", "d"], "model": "any"})
    assert [row["embedding"] for row in reply["data"]] == [[3.0, 1.0], [1.0, 1.0]]
    assert (one.total, other.total) == (Usage(embedded=2), Usage())


def test_chats_are_passed_on_with_the_key_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-of-the-user")
    with serve_replies(lambda text: text.upper()) as (url, bodies):
        gateway = Gateway(lambda texts: [], ChatServer(url, "MY_KEY"))
        try:
            line, meter = gateway.open_line()
            assert ChatModel(line, "m").write("Shout.", "ahoy") == "SHOUT.\nAHOY"
        finally:
            gateway.close()
    assert bodies[0]["key"] == "Bearer sk-of-the-user"
    assert (bodies[0]["model"], bodies[0]["temperature"]) == ("m", 0)
    assert meter.total == Usage(1, 100, 10)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/embeddings", {"input": 7}, 400),
        ("/embeddings", {"input": ["a"], "encoding_format": "base64"}, 400),
        ("/chat/completions", {"messages": []}, 400),
        ("/images", {}, 404),
        ("/embeddings", [], 404),
    ],
)
def test_what_cannot_be_answered_says_why(
    gateway: Gateway, path: str, body: Any, status: int
) -> None:
    line, meter = gateway.open_line()
    with pytest.raises(HTTPError) as raised:
        post(line + path, body)
    assert raised.value.code == status
    assert json.load(raised.value)["error"]["message"]
    assert meter.total == Usage()


def test_a_server_that_refuses_or_is_away_is_a_failure_of_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("personamem.loaders.memory.gateway.ATTEMPTS", 2)
    with serve_script(refuse(401)) as server:
        gateway = Gateway(lambda texts: [], ChatServer(server.url))
        with pytest.raises(MemoryFailure, match="does not accept the API key"):
            ChatModel(gateway.open_line()[0], "m").write("a", "b")
        gateway.close()
    gateway = Gateway(lambda texts: [], ChatServer(f"http://127.0.0.1:{find_closed_port()}/v1"))
    with pytest.raises(MemoryFailure, match="the model of the memory"):
        ChatModel(gateway.open_line()[0], "m").write("a", "b")
    gateway.close()
