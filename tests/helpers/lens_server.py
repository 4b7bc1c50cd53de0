"""A server that plays assistant, user and judge of PersonaLens dialogues by a script.

Each role knows from its prompt alone what is played: the user's first message holds a reference to
the dialogue, the assistant's replies name the setting that its prompt shows. So the judge's prompt
holds both, and whoever knows the script knows every figure beforehand.

    python lens_server.py PORT_FILE JOURNAL [LATENCY]

runs it as a process of its own that writes its port to PORT_FILE and a line to JOURNAL for each
request, before it replies.
"""

import asyncio
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

Play = Callable[[str, str], str]
"""Returns the reply to a prompt: its system text (empty for a judge) and the text of the user."""

SETTING_PARTS = {"d": "\nThe user:\n", "i": "Past interactions with", "s": "\nThe situation:\n"}
SCALES = {"VERDICT": 2, "Personalization Score": 4, "Naturalness Score": 5, "Coherence Score": 5}


def play(system: str, text: str) -> str:
    """Return the reply of whoever is spoken to."""
    if system.startswith("You play a person"):
        return play_user(text)
    if system:
        return play_assistant(system)
    return play_judge(text)


def play_user(text: str) -> str:
    """Open with a reference; end after as many messages as the reference says."""
    if "Write the first message" in text:
        intent = re.search(r"Your task: (.*)", text)[1]
        country = re.search(r"Birth country: (.*)", text)[1]
        return f"Hello there. Reference {country}: {intent}"
    said = len(re.findall(r"^\[USER\]: (?!Could|Yes)", text, re.MULTILINE))
    return "Perfect, bye. TERMINATE" if said > draw(find_reference(text), "turns", 3) else "Go on."


def play_assistant(system: str) -> str:
    """Say what setting the prompt shows."""
    parts = "".join(name for name, mark in SETTING_PARTS.items() if mark in system)
    name = {"": "base", "dis": "all"}.get(parts, parts)
    return f"As you like. Setting {name if 'How to reply' in system else 'vanilla'}."


def play_judge(text: str) -> str:
    """Give the verdict that the script has for the dialogue, in one of several forms."""
    if "as if it ended there" in text:
        number = int(re.search(r"replies (\d+) times", text)[1])
        return "\n".join(f"Turn {n}: {1 + n % 4}" for n in range(1, number + 1))
    side = re.search(r"of the (\w+)'s side", text)
    label = next(name for name in SCALES if f"\n{name}:" in text)
    name = label.partition(" ")[0].lower().replace("verdict", "task_completion")
    dimension = f"{name}_{side[1]}" if side else name
    value = grade(find_reference(text), find_setting(text), dimension)
    if value is None:
        return "It is hard to say, all in all."
    shown = ("False", "True")[value] if label == "VERDICT" else str(value)
    return (f"{label}: {shown}", f"**{label}:** {shown}\nReasons.")[len(dimension) % 2]


def grade(reference: str, setting: str, dimension: str) -> int | None:
    """Return the verdict of the script; None for one in twelve that cannot be read."""
    if draw(reference, setting, dimension, "unreadable", 12) == 0:
        return None
    most = {"task": 2, "pers": 4}.get(dimension[:4], 5)
    return draw(reference, setting, dimension, most) + (0 if most == 2 else 1)


def draw(*words: str | int) -> int:
    """Return a number below the last of ``words``, drawn from the others."""
    *names, below = words
    digest = sha256("\0".join(map(str, names)).encode()).digest()
    return int.from_bytes(digest[:4], "big") % int(below)


def find_reference(text: str) -> str:
    return re.search(r"Reference (.*)", text)[1]


def find_setting(text: str) -> str:
    return re.search(r"Setting (\w+)\.", text)[1]


@dataclass
class LensServer:
    """The server: its address, what it was sent, and how it behaves."""

    play: Play = play
    latency: float = 0.0
    journal: Path | None = None
    port: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    refuse: Callable[[str], int] = lambda text: 0
    """Returns the status with which to refuse a prompt, 0 for none, -1 to hang up."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
                body = json.loads(await reader.readexactly(length))
                status, content = await self._answer(body)
                if status < 0:
                    break
                data = json.dumps(content).encode()
                lines = f"HTTP/1.1 {status} OK\r\nContent-Type: application/json\r\n"
                writer.write(f"{lines}Content-Length: {len(data)}\r\n\r\n".encode() + data)
                await writer.drain()
        writer.close()

    async def _answer(self, body: Mapping[str, Any]) -> tuple[int, Any]:
        messages = {message["role"]: message["content"] for message in body["messages"]}
        system, text = messages.get("system", ""), messages["user"]
        key = sha256(json.dumps([body["model"], system, text]).encode()).hexdigest()
        self.seen[key] += 1
        if self.journal:
            with self.journal.open("a") as journal:
                journal.write(f"{time.time():.6f} {key}\n")
        await asyncio.sleep(self.latency)
        if status := self.refuse(text):
            return status, {"error": {"message": f"refused with {status}", "type": "server"}}
        message = {"role": "assistant", "content": self.play(system, text)}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        reply = {"id": key[:8], "object": "chat.completion", "created": 0, "model": body["model"]}
        return 200, {**reply, "choices": [choice], "usage": usage}


@contextmanager
def serve_lens(**behaviour: Any) -> Iterator[LensServer]:
    """Run a server in a thread of this process."""
    server, loop = LensServer(**behaviour), asyncio.new_event_loop()
    started = threading.Event()

    async def run() -> None:
        running = await server.start()
        started.set()
        await stop
        running.close()
        # Connections that clients keep open.
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    stop = loop.create_future()
    thread = threading.Thread(target=lambda: loop.run_until_complete(run()), daemon=True)
    thread.start()
    started.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set_result, None)
        thread.join()
        loop.close()


async def run_process(port_file: Path, journal: Path, latency: float) -> None:
    server = LensServer(latency=latency, journal=journal)
    async with await server.start() as running:
        port_file.write_text(str(server.port))
        await running.serve_forever()


if __name__ == "__main__":
    delay = float(sys.argv[3]) if len(sys.argv) > 3 else 0.0
    asyncio.run(run_process(Path(sys.argv[1]), Path(sys.argv[2]), delay))
