"""A chat server that writes chats from prompts, well or in ways that must fail."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turns = list[dict[str, Any]]

_FIELD = re.compile(r'^"\d+ (user|assistant)": "\.\.\."', re.M)
_MANNERS = ("gladly", "calmly", "firmly", "kindly", "neatly", "surely", "warmly", "fully")


def write_well(prompt: str) -> Turns:
    """A chat about nothing, of the messages that are asked for."""
    turns = []
    for number, role in enumerate(_FIELD.findall(prompt)):
        manners = _pick_manners(prompt, number)
        if role == "user":
            text = f"And what comes after this, {manners}?"
        else:
            text = f"Thank you for asking: it goes on {manners}, and that is all of it."
        turns.append({"role": role, "content": text})
    return turns


def _pick_manners(prompt: str, number: int) -> str:
    """Words that hardly any other message of any chat has in this order."""
    digest = sha256(f"{prompt}{number}".encode()).digest()
    return " and ".join(_MANNERS[byte % len(_MANNERS)] for byte in digest[:7])


def pack_turns(turns: Turns) -> str:
    """An answer with these messages."""
    return json.dumps(
        {f"{number} {turn['role']}": turn["content"] for number, turn in enumerate(turns, 1)}
    )


def write_json(prompt: str) -> str:
    """An answer that ``write_well`` makes."""
    return pack_turns(write_well(prompt))


class WritingServer:
    """``answer`` makes the text of an answer from a prompt, or None for status 500.

    ``prompts`` are those it was sent, ``answered`` those it has answered, as often as it did.
    """

    def __init__(self, answer: Callable[[str], str | None]) -> None:
        self.answer, self.url = answer, ""
        self.prompts: list[str] = []
        self.answered: list[str] = []


@contextmanager
def serve_writer(answer: Callable[[str], str | None]) -> Iterator[WritingServer]:
    """Run a server in a thread."""
    state = WritingServer(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][-1]["content"]
            state.prompts.append(prompt)
            text = state.answer(prompt)
            message = {"role": "assistant", "content": text}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 100, "completion_tokens": 50}
            data = json.dumps({"model": "w", "choices": [choice], "usage": usage}).encode()
            state.answered += [prompt] * (text is not None)
            self.send_response(500 if text is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            pass  # Clients are killed.

    server = Quiet(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
