"""A chat server that answers by a function of the conversation, and notes what it was asked."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from scripted_server import Received, make_answer, make_reply, serve_script

Say = Callable[[str], str]


@contextmanager
def serve_replies(say: Say) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the address and the bodies of all requests; ``say`` gets a request's whole text."""
    bodies: list[dict[str, Any]] = []

    def reply(received: Received) -> list[bytes]:
        bodies.append(json.loads(received.body))
        bodies[-1]["key"] = received.headers.get("authorization", "")
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return [make_answer(say(read_text(bodies[-1])), usage=usage)]

    with serve_script(reply) as server:
        yield server.url, bodies


def refuse(status: int) -> Callable[[Received], list[bytes]]:
    """Return a script that refuses every request."""
    return lambda received: [make_reply(status, b'{"error": {"message": "no"}}')]


def read_text(body: dict[str, Any]) -> str:
    """All messages of a request."""
    return "\n".join(message["content"] for message in body["messages"])
