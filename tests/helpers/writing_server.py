"""A chat server that writes sessions and options from prompts, well or in ways that must fail."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turns = list[dict[str, Any]]

_QUOTED = re.compile('"(.*?)"')
_MESSAGE = re.compile(r"^\d+ (user|assistant): (.*)$", re.M)
_CUE = re.compile("by one of these(?: words)?: ([^,.)]+)")
_ACK = "Thank you, I will keep it in mind"
_MANNERS = ("gladly", "calmly", "firmly", "kindly", "neatly", "surely", "warmly", "fully")


def write_well(prompt: str) -> Turns:
    """The outline, said plainly."""
    turns = []
    for role, task in _MESSAGE.findall(prompt):
        manners = _pick_manners(prompt, len(turns))
        plain, _, cues = task.partition(" (Make this plain")
        cue = ", ".join(_CUE.findall(cues)) or "yes"
        if plain.startswith("tells this: "):
            text = f"Well ({cue}): {plain.removeprefix('tells this: ')}"
        elif plain.startswith("asks"):
            when = "".join(_QUOTED.findall(plain))
            text = f"What would you suggest, {manners}, that I do {when}?"
        elif plain.startswith("replies"):
            text = f"I see, so it is about {_QUOTED.findall(plain)[0]} then, {manners}."
        elif plain.startswith("suggests"):
            text = f"How about this: {plain[9:].removesuffix(', naming it.')}?"
        elif plain.startswith("does not want"):
            text = f"No ({cue}), I would not like that: {plain.partition(': ')[2]}"
        else:
            text = f"{_ACK}, {manners}."
        turns.append({"role": role, "content": text.replace('"', "")})
    return turns


def _pick_manners(prompt: str, number: int) -> str:
    """Words that hardly any other message of any session has in this order."""
    digest = sha256(f"{prompt}{number}".encode()).digest()
    return " and ".join(_MANNERS[byte % len(_MANNERS)] for byte in digest[:4])


def pack_turns(turns: Turns) -> str:
    """An answer with these messages."""
    return json.dumps(
        {f"{number} {turn['role']}": turn["content"] for number, turn in enumerate(turns, 1)}
    )


def pack_options(texts: list[str]) -> str:
    """An answer with these options."""
    return json.dumps({f"reply {number}": text for number, text in enumerate(texts, 1)})


def asks_for_options(prompt: str) -> bool:
    """Whether a prompt is for the options of a quad, not for a session."""
    return "The replies, in this order." in prompt


def write_options_well(prompt: str) -> list[str]:
    """The drafts behind one more word; advice says no more than how to go about it."""
    advice = re.findall(r"^Made plain by .*: ([^,.]+)", prompt, re.M)
    if advice:
        words = (
            "Go about it your own way from beginning to end, and let {} come first in all of it."
        )
        return [words.format(cue) for cue in advice]
    return [f"Well: {draft}" for draft in re.findall(r"^Draft: (.*)$", prompt, re.M)]


def write_json(prompt: str) -> str:
    """An answer that ``write_well`` or ``write_options_well`` makes."""
    if asks_for_options(prompt):
        return pack_options(write_options_well(prompt))
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
