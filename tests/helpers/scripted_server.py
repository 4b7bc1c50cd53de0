"""A server in a thread whose replies are bytes that a test writes, however broken they may be."""

import json
import socket
import socketserver
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Received:
    """One request: its path, its headers under lower-case names, and its body."""

    path: str
    headers: dict[str, str]
    body: bytes


Script = Callable[[Received], Iterable[bytes]]
"""Returns the parts of a reply, which are sent as they come, until the client leaves."""


@dataclass(slots=True)
class ScriptedServer:
    """The address of the server, and the requests that it received."""

    origin: str
    received: list[Received] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The address of the chat protocol."""
        return f"{self.origin}/v1"


def make_reply(
    status: int, body: bytes = b"", *, length: int | None = None, **headers: str
) -> bytes:
    """Return a reply; ``content_type="a"`` becomes the header "content-type: a".

    ``length`` is that of the body unless it is given; below 0 there is no such header, and the body
    lasts until the connection ends.
    """
    length = len(body) if length is None else length
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if length >= 0:
        named["content-length"] = str(length)
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} Status\r\nconnection: close\r\n{lines}\r\n".encode() + body


def make_answer(text: str = "fine", **changes: Any) -> bytes:
    """Return a good reply; ``changes`` replace fields of the message, the choice or the reply."""
    message = {"role": "assistant", "content": text}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": "stop"}
    reply: dict[str, Any] = {"model": "scripted", "choices": [choice]}
    for name, value in changes.items():
        for part in (message, choice, reply):
            if name in part or (part is reply and name == "usage"):
                part[name] = value
                break
        else:
            message[name] = value
    return make_reply(200, json.dumps(reply).encode(), content_type="application/json")


def send_endlessly(status: int) -> Iterator[bytes]:
    """Yield a reply whose body has no end."""
    yield make_reply(status, length=-1, content_type="application/json")
    while True:
        yield b" " * 2**20


def make_gzipped_reply(status: int, megabytes: int) -> bytes:
    """Return a reply whose body unpacks to this many megabytes, a thousand times its size."""
    packer = zlib.compressobj(wbits=31)
    packed = b"".join(packer.compress(b" " * 2**20) for _ in range(megabytes)) + packer.flush()
    return make_reply(status, packed, content_type="application/json", content_encoding="gzip")


@contextmanager
def serve_script(script: Script) -> Iterator[ScriptedServer]:
    """Run a server whose replies are made by ``script``."""
    state = ScriptedServer("")

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(ConnectionError, TimeoutError):
                received = self._receive()
                if received is not None:
                    state.received.append(received)
                    for part in script(received):
                        self.wfile.write(part)

        def _receive(self) -> Received | None:
            path = self.rfile.readline().decode().split(" ")
            if len(path) < 2:
                return None
            headers: dict[str, str] = {}
            while line := self.rfile.readline().strip().decode():
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            return Received(path[1], headers, self.rfile.read(int(headers["content-length"])))

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True
        request_queue_size = 64

    with Server(("127.0.0.1", 0), Handler) as server:
        state.origin = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


def find_closed_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
