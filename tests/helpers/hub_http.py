"""HTTP for the stand-in of the Hub: requests, answers, and misbehaviour on demand."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

from hub_store import Refusal


@dataclass(slots=True)
class Fault:
    """Misbehaviour for requests whose "METHOD path" matches: a status, or a dropped connection.

    ``first`` is called before anything else; ``late`` means that the request is served, and only
    its answer is lost. A fault happens ``times`` times.
    """

    pattern: str
    status: int | None = None
    first: Callable[[], None] | None = None
    late: bool = False
    times: int = 1_000


@dataclass(slots=True)
class Request:
    """What a route gets to see."""

    method: str
    path: str
    query: dict[str, list[str]]
    body: bytes
    headers: Any

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Answer:
    """A body (JSON unless it is bytes), a status and headers."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


class Service(Protocol):
    """What answers the requests, and is told of them."""

    requests: list[str]

    def serve(self, request: Request) -> Answer: ...

    def due_fault(self, line: str) -> Fault | None: ...


@contextmanager
def run_server(hub: Service) -> Iterator[str]:
    """Serve ``hub`` on a free port of this machine; yield the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            line = f"{self.command} {urlsplit(self.path).path}"
            hub.requests.append(line)
            request = self._read()
            fault = hub.due_fault(line)
            if fault and fault.first:
                fault.first()
            if fault and fault.status:
                # A careless server: it says the token that it was sent.
                said = f"on purpose, {self.headers.get('Authorization')}"
                answer = Answer({"error": said}, fault.status, {"X-Error-Message": said})
            elif fault and not fault.late:
                return self._drop()
            else:
                answer = self._serve(request)
            if fault and fault.late:
                return self._drop()
            self._send(answer)

        do_HEAD = do_POST = do_PUT = do_GET

        def log_message(self, *_: object) -> None:
            pass

        def _read(self) -> Request:
            parts = urlsplit(self.path)
            if self.headers.get("Transfer-Encoding") == "chunked":
                pieces = []
                while size := int(self.rfile.readline(), 16):
                    pieces.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                body = b"".join(pieces)
            else:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = parse_qs(parts.query, keep_blank_values=True)
            return Request(self.command, parts.path, query, body, self.headers)

        def _serve(self, request: Request) -> Answer:
            try:
                return hub.serve(request)
            except Refusal as refusal:
                headers = {"X-Error-Message": refusal.message}
                if refusal.code:
                    headers["X-Error-Code"] = refusal.code
                return Answer({"error": refusal.message}, refusal.status, headers)

        def _send(self, answer: Answer) -> None:
            body = (
                answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            )
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            if not isinstance(answer.body, bytes):
                self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def _drop(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
