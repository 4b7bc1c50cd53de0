"""A server that speaks the protocols of chat and of completions, and misbehaves when told to."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def answer(body: dict[str, Any]) -> str:
    """The reply to a request: a letter that depends on all of the conversation."""
    text = json.dumps(body["messages"])
    return f"I would say ({'abcd'[sha256(text.encode()).digest()[0] % 4]})."


class ChatServer:
    """What the server was sent, and what it does: ``faults`` are used up, one a request."""

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.faults: list[str] = []
        self.always = ""
        self.delay = 0.0
        self.usage = "openai"
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    @property
    def turns(self) -> list[str]:
        """The last message of every request."""
        return [body["messages"][-1]["content"] for body in self.bodies]

    def take(self, body: dict[str, Any]) -> str:
        """Note a request; return the fault that it meets, or nothing."""
        with self._lock:
            self.bodies.append(body)
            self.times.append(time.monotonic())
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            return self.faults.pop(0) if self.faults else self.always

    def finish(self) -> None:
        """Note the end of a request."""
        with self._lock:
            self._at_once -= 1

    def score(self, body: dict[str, Any], echo: bool) -> dict[str, Any]:
        """Log-probabilities of the tokens of every prompt and of one more; without echo of that."""
        choices = []
        for index, tokens in enumerate(body["prompt"]):
            values = [-1.0 / (1 + token) for token in [*tokens, 0]]
            values = values if echo else values[-1:]
            tops = [{"best": -0.5} for _ in values]
            scores = {"token_logprobs": values, "top_logprobs": tops}
            choices.append({"index": index, "text": "", "logprobs": scores})
        return {"choices": choices[::-1], "usage": {"prompt_tokens": 7}}

    def reply_to(self, body: dict[str, Any]) -> dict[str, Any]:
        """A whole reply, with usage: half of the prompt was cached."""
        tokens = sum(len(message["content"].split()) for message in body["messages"])
        usage: dict[str, Any] = {"prompt_tokens": tokens, "completion_tokens": 5}
        if self.usage == "openai":
            usage["prompt_tokens_details"] = {"cached_tokens": tokens // 2}
        elif self.usage == "hits":
            usage["prompt_cache_hit_tokens"] = tokens // 2
        message = {"role": "assistant", "content": answer(body)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"choices": [choice], "usage": usage}


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_POST(self) -> None:
        chat = self.server.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        fault = chat.take(body)
        try:
            time.sleep(chat.delay)
            self._answer(chat, body, fault)
        finally:
            chat.finish()

    def _answer(self, chat: ChatServer, body: dict[str, Any], fault: str) -> None:
        if "prompt" in body:
            return self._send(200, json.dumps(chat.score(body, fault != "no echo")))
        reply = chat.reply_to(body)
        if fault.isdigit():
            return self._send(int(fault), f"fault {fault}", {"Retry-After": "0"})
        if fault == "429 later":
            return self._send(429, "slow down", {"Retry-After": "2"})
        if fault == "too long":
            message = "This model's maximum context length is 16 tokens."
            return self._send(400, json.dumps({"error": {"message": message, "code": 400}}))
        if fault == "close":
            return None
        if fault == "hang":
            time.sleep(3)
        if fault == "no json":
            return self._send(200, "<html>Welcome!</html>")
        if fault == "no choices":
            return self._send(200, json.dumps({"error": {"message": "engine is asleep"}}))
        if fault == "empty choices":
            reply["choices"] = []
        if fault in ("null", "null by length"):
            reply["choices"][0]["message"]["content"] = None
            reply["choices"][0]["finish_reason"] = "length" if "length" in fault else None
        if fault == "empty":
            reply["choices"][0]["message"]["content"] = ""
        return self._send(200, json.dumps(reply))

    def _send(self, status: int, text: str, headers: dict[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        # A client that was killed, or did not wait.
        with suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    chat: ChatServer

    def handle_error(self, *_: Any) -> None:
        pass  # Clients are killed in these tests.


@contextmanager
def serve_chat() -> Iterator[ChatServer]:
    """Run a server in a thread."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.chat = ChatServer()
    server.chat.url = f"http://127.0.0.1:{server.server_port}/v1/chat/completions"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.chat
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
