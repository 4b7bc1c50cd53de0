"""A chat server with faults, in a process of its own, so that a killed client cannot take it along.

    echo '{"seed": 1, "faults": {"429": 0.1}}' | python tests/helpers/fault_server.py

prints its port. The answer is a function of the prompt, which is the last message's text; a fault
is a function of seed, prompt and attempt, so it does not depend on the order of requests. A GET of
/counts tells by prompt how often it was asked, how often it met a fault and how often a whole
answer was sent, with those that came "late": given up by the client, which waits ``patience``
seconds, while they were on their way.

Faults: a status code, "hang" (no answer), "cut" (half of the JSON), "drop" (the connection ends),
"empty" (no choices), "blank" (an answer without a text), "page" (HTML). With the request of number
``outage_after`` the server is gone for ``outage_seconds``: nobody listens on its port, and open
connections end; with an ``outage_status`` it answers nothing but that.
"""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from random import Random
from typing import Any

ISSUE_FAULTS = {"429": 0.10, "500": 0.05, "hang": 0.05, "cut": 0.05, "drop": 0.02}
"""The shares of faults that a run has to get over."""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How a server behaves; times in seconds, ``always`` a fault by prompt that never ends."""

    seed: int = 0
    latency: float = 0.0
    faults: Mapping[str, float] = field(default_factory=dict)
    always: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[str, str] = field(default_factory=dict)
    retry_after: str = "1"
    message: str = "a fault"
    code: str | None = None
    key: str = ""
    takes_schema: bool = True
    outage_after: int = 0
    outage_seconds: float = 0.0
    outage_status: str = ""
    patience: float = 0.0


def answer_to(prompt: str) -> str:
    """The text that the server answers with."""
    digest = sha256(prompt.encode()).hexdigest()
    return f"{prompt}: {digest} é \x00 </b>{{{{ 7 * 7 }}}}\n- !!python/none"


class FaultServer:
    """The server's state and its side of a connection."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.counts: dict[str, Counter[str]] = {}
        self.at_once = self.most_at_once = self.requests = 0
        self.port = 0
        self._asked_at: dict[str, float] = {}
        self._is_out = False
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._outages: list[asyncio.Task[None]] = []

    async def listen(self) -> None:
        """Listen, on the port of the first time."""
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, backlog=1024, reuse_address=True
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                names = (line.partition(":") for line in lines[1:] if line)
                headers = {name.lower(): value.strip() for name, _, value in names}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                if lines[0].startswith("GET /counts"):
                    self._send(writer, 200, {"most": self.most_at_once, "counts": self.counts})
                elif not await self._answer(reader, writer, headers, json.loads(body)):
                    return
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        headers: Mapping[str, str],
        body: Mapping[str, Any],
    ) -> bool:
        """Answer a request; return whether the connection stays open."""
        prompt = body["messages"][-1]["content"]
        counts = self.counts.setdefault(prompt, Counter())
        self._note(prompt, counts)
        self.requests += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        if self.requests == self.behaviour.outage_after:
            self._outages.append(asyncio.create_task(self._go_away()))
        try:
            fault = self._refusal(headers, body) or self._draw(prompt, counts["asked"])
            if self._is_out:
                fault = self.behaviour.outage_status
            if fault:
                counts["faults"] += 1
            if fault not in ("429", "500", "503", "drop"):
                await asyncio.sleep(3600 if fault == "hang" else self.behaviour.latency)
            # An outage came between, or the client waits no longer.
            if writer.is_closing() or reader.at_eof():
                counts["faults"] += not fault
                return False
            return self._reply(writer, fault, prompt, counts)
        finally:
            self.at_once -= 1

    def _note(self, prompt: str, counts: Counter[str]) -> None:
        now = time.monotonic()
        # Who asks again at once has no excuse.
        waited = now - self._asked_at.get(prompt, now)
        if counts["answered"] > counts["late"] and waited >= 0.8 * self.behaviour.patience > 0:
            counts["late"] += 1
        self._asked_at[prompt] = now
        counts["asked"] += 1

    def _refusal(self, headers: Mapping[str, str], body: Mapping[str, Any]) -> str:
        key = self.behaviour.key
        if key and headers.get("authorization") != f"Bearer {key}":
            return "401"
        refused = "response_format" in body and not self.behaviour.takes_schema
        return "400" if refused else ""

    def _draw(self, prompt: str, attempt: int) -> str:
        if prompt in self.behaviour.always:
            return self.behaviour.always[prompt]
        drawn = Random(f"{self.behaviour.seed} {prompt} {attempt}").random()
        for fault, share in self.behaviour.faults.items():
            drawn -= share
            if drawn < 0:
                return fault
        return ""

    def _reply(
        self, writer: asyncio.StreamWriter, fault: str, prompt: str, counts: Counter[str]
    ) -> bool:
        if fault.isdigit():
            extra = {"Retry-After": self.behaviour.retry_after} if fault == "429" else {}
            error = {"message": self.behaviour.message, "code": self.behaviour.code}
            self._send(writer, int(fault), {"error": error}, extra)
            return True
        if fault == "drop":
            return False
        if fault == "page":
            html = {"Content-Type": "text/html"}
            self._send(writer, 200, {"<html>": self.behaviour.message}, html, cut=True)
            return True
        text = self.behaviour.answers.get(prompt, answer_to(prompt))
        message = {"role": "assistant", "content": None if fault == "blank" else text}
        choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
        words = len(prompt.split())
        usage = {"prompt_tokens": words, "completion_tokens": 20}
        reply = {
            "model": "stub-1",
            "choices": [] if fault == "empty" else choices,
            "usage": {**usage, "prompt_tokens_details": {"cached_tokens": words // 2}},
        }
        if not fault:
            counts["answered"] += 1
        self._send(writer, 200, reply, cut=fault == "cut")
        return True

    def _send(
        self,
        writer: asyncio.StreamWriter,
        status: int,
        reply: Mapping[str, Any],
        extra: Mapping[str, str] | None = None,
        cut: bool = False,
    ) -> None:
        data = json.dumps(reply).encode()
        data = data[: len(data) // 2] if cut else data
        kind = {"Content-Type": "application/json"}
        headers = {**kind, "Content-Length": len(data), **(extra or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        writer.write(f"HTTP/1.1 {status} Status\r\n{lines}\r\n".encode() + data)

    async def _go_away(self) -> None:
        assert self._server is not None
        if self.behaviour.outage_status:
            self._is_out = True
            await asyncio.sleep(self.behaviour.outage_seconds)
            self._is_out = False
            return
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.sleep(self.behaviour.outage_seconds)
        await self.listen()


class RunningServer:
    """A server's process as a test sees it."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/v1"
        self._port = port

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """By prompt: asked, faults, answered."""
        counts: dict[str, dict[str, int]] = self._read()["counts"]
        return counts

    @property
    def most_at_once(self) -> int:
        """The most requests that were under way at a time."""
        return int(self._read()["most"])

    def _read(self) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/counts") as reply:
            read: dict[str, Any] = json.load(reply)
            return read


@contextmanager
def serve_faults(behaviour: Behaviour) -> Iterator[RunningServer]:
    """Run a server in a process of its own."""
    command = [sys.executable, __file__]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(asdict(behaviour)))
    process.stdin.close()
    try:
        yield RunningServer(int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


async def main() -> None:
    """Serve for ever."""
    server = FaultServer(Behaviour(**json.load(sys.stdin)))
    await server.listen()
    print(server.port, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
