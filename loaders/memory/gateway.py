"""The way of memory systems to models: a server on this machine that counts what they ask for.

It speaks the API of OpenAI, so a system needs nothing but its address. Embeddings are computed
here, by one model for all systems; chats are passed on to the server that the user named, with the
user's key, which no system sees. Every instance of a system has an address of its own,
``.../N/v1``.
"""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from threading import Lock, Thread
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError
from personamem.loaders.formats.http_client import HttpClient
from personamem.loaders.formats.transport import ATTEMPTS, TransportError, seconds_to_wait
from personamem.loaders.formats.usage import read_token_counts
from personamem.loaders.memory.meter import Meter, Usage

MOST_BYTES = 64 * 2**20
SECONDS = 600.0
"""That the user's server may take for a reply."""

_CONNECTIONS = 16
_POLL = 0.05
"""Seconds after which an end is noticed."""

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@dataclass(frozen=True, slots=True)
class ChatServer:
    """A server of chat models: its address up to ``/v1``, and the variable that holds the key."""

    url: str
    key_variable: str = "OPENAI_API_KEY"


class Gateway:
    """Serves from the moment it is made until ``close``.

    Args:
        embed: turns texts into vectors, one thread at a time.
        server: where chats are passed on to; without one they are refused.
    """

    def __init__(self, embed: Embed, server: ChatServer | None = None) -> None:
        self._embed, self._embedding, self._meters = embed, Lock(), list[Meter]()
        self._client = _open_client(server) if server else None
        self._loop = asyncio.new_event_loop()
        self._random = Random(0)
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(self))
        self._http.daemon_threads = True
        self._threads = [
            Thread(target=work, daemon=True)
            for work in (partial(self._http.serve_forever, _POLL), self._loop.run_forever)
        ]
        for thread in self._threads:
            thread.start()

    def open_line(self) -> tuple[str, Meter]:
        """Return an address for one instance, and what it uses there."""
        self._meters.append(Meter())
        url = f"http://127.0.0.1:{self._http.server_address[1]}/{len(self._meters) - 1}/v1"
        return url, self._meters[-1]

    def close(self) -> None:
        """Stop serving."""
        self._http.shutdown()
        self._http.server_close()
        if self._client is not None:
            asyncio.run_coroutine_threadsafe(
                self._client.__aexit__(None, None, None), self._loop
            ).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        for thread in self._threads:
            thread.join()
        self._loop.close()

    def answer(self, path: str, body: Any) -> tuple[int, Mapping[str, Any]]:
        """Return the status and the reply to a request."""
        line, _, route = path.strip("/").partition("/v1/")
        if not line.isdecimal() or int(line) >= len(self._meters) or not isinstance(body, dict):
            return 404, _describe("no such line, or the body is no object")
        meter = self._meters[int(line)]
        if route == "embeddings":
            return self._answer_embeddings(body, meter)
        if route == "chat/completions":
            return self._answer_chat(body, meter)
        return 404, _describe(f"no such route: {route}. Accepted: embeddings, chat/completions")

    def _answer_embeddings(self, body: dict[str, Any], meter: Meter) -> tuple[int, dict[str, Any]]:
        texts = body.get("input")
        texts = [texts] if isinstance(texts, str) else texts
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            return 400, _describe("input is neither a text nor a list of texts")
        if body.get("encoding_format", "float") != "float":
            return 400, _describe("encoding_format. Accepted: float")
        try:
            with self._embedding:
                vectors = self._embed(texts) if texts else []
        except PersonamemError as error:
            return 500, _describe(str(error))
        meter.add(Usage(embedded=len(texts)))
        data = [
            {"object": "embedding", "index": index, "embedding": [float(x) for x in vector]}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return 200, {
            "object": "list",
            "data": data,
            "model": body.get("model", ""),
            "usage": usage,
        }

    def _answer_chat(self, body: dict[str, Any], meter: Meter) -> tuple[int, Mapping[str, Any]]:
        if self._client is None:
            return 400, _describe("this memory asks a chat model: name its server and model")
        if body.get("stream"):
            return 400, _describe("stream. Accepted: whole replies")
        job = self._pass_on(self._client, json.dumps(body).encode())
        try:
            value = asyncio.run_coroutine_threadsafe(job, self._loop).result()
        except TransportError as error:
            status = error.status or 0
            return status if status >= 400 else 502, _describe(str(error))
        if not isinstance(value, dict):
            return 502, _describe("the server's reply is no object")
        counts = read_token_counts(value)
        meter.add(Usage(1, counts.prompt or 0, counts.completion or 0))
        return 200, value

    async def _pass_on(self, client: HttpClient, body: bytes) -> Any:
        attempt = 0
        while True:
            attempt += 1
            try:
                reply = await client.post(body, MOST_BYTES)
                client.has_answered = True
                return reply.value
            except TransportError as error:
                if attempt >= ATTEMPTS or client.is_final(error):
                    raise
                pause = seconds_to_wait(attempt, error.retry_after, self._random)
            await asyncio.sleep(pause)


def _open_client(server: ChatServer) -> HttpClient:
    if not server.url.startswith(("http://", "https://")):
        raise InvalidInputError(
            f"llm_server {server.url!r}. Accepted: the address of a server with the API of OpenAI, "
            "such as http://localhost:8000/v1."
        )
    key = os.environ.get(server.key_variable, "")
    return HttpClient(
        server.url.rstrip("/") + "/chat/completions",
        {"Authorization": f"Bearer {key}"},
        timeout=SECONDS,
        connections=_CONNECTIONS,
    )


def _describe(problem: str) -> dict[str, Any]:
    return {"error": {"message": problem, "type": "personamem"}}


def _make_handler(gateway: Gateway) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length > MOST_BYTES:
                status, reply = 413, _describe(f"a request of more than {MOST_BYTES:,} bytes")
                self.close_connection = True
            else:
                try:
                    body = json.loads(self.rfile.read(length))
                except ValueError:
                    body = None
                status, reply = gateway.answer(self.path, body)  # type: ignore[assignment]
            content = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Say nothing: the run tells what matters."""

    return Handler
