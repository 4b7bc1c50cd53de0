"""A chat server that writes sessions and options from prompts, well or in ways that must fail."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turns = list[dict[str, Any]]

_QUOTED = re.compile('"(.*?)"')
_FACT = r"^(F\d+): (.*)$"
_CUE = re.compile("by one of these(?: words)?: ([^,.)]+)")
_FORM = re.compile(r'"content": "...", "fact_ids": \["?(F\d+)?"?\]')
_ACK = "Thank you, I will keep it in mind."


def write_well(prompt: str) -> Turns:
    """The outline, said plainly."""
    facts = dict(re.findall(r"^(F\d+): (.*?)\.(?: \(Make.*)?$", prompt, re.M))
    cues = {label: ", ".join(_CUE.findall(line)) for label, line in re.findall(_FACT, prompt, re.M)}
    carriers = {str(n): label for n, label in enumerate(_FORM.findall(prompt), start=1) if label}
    turns = []
    for number, role, task in re.findall(r"^(\d+)\. (user|assistant): (.*)$", prompt, re.M):
        label = (re.findall(r"\bF\d+\b", task) or [carriers.get(number, "")])[0]
        if task.startswith("tells"):
            text = f"Well ({cues.get(label, 'yes')}): {facts[label]}."
        elif task.startswith("asks"):
            text = f"What would you suggest that I do {''.join(re.findall(_QUOTED, task))}?"
        elif task.startswith("replies"):
            text = f"I see, so it is about {_value_of(facts[label])} then, thank you for that."
        elif task.startswith("suggests"):
            text = f"How about this: {task[9:].removesuffix(', naming it.')}?"
        elif task.startswith("turns down"):
            text = f"No, I would not like that: {task[11:].removesuffix(', naming it.')}."
        else:
            text = _ACK
        carried = [carriers[number]] if number in carriers else []
        turns.append({"role": role, "content": text.replace('"', ""), "fact_ids": carried})
    return turns


def _value_of(says: str) -> str:
    """The first quoted text that is no name of a person."""
    return next(text for text in _QUOTED.findall(says) if not text.istitle() or " " in text)


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
        return json.dumps({"options": write_options_well(prompt)})
    return json.dumps({"turns": write_well(prompt)})


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
