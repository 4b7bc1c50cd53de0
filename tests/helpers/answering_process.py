"""Runs of ``complete_all`` in processes of their own, which tests kill.

The libraries are imported once, in a process that then forks a child for every run.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.llm import AnswerStore, Request, Server, complete_all
from personamem.loaders.formats.errors import PersonamemError


def make_requests(count: int) -> list[Request]:
    """Different requests."""
    return [
        Request(
            "stub",
            ({"role": "system", "content": "Be brief."}, {"role": "user", "content": f"q {n}"}),
            {"max_tokens": 50, "temperature": 0.7, "seed": n},
        )
        for n in range(count)
    ]


@dataclass(frozen=True, slots=True)
class AnsweringRun:
    """A run under way."""

    pid: int
    result: Path
    _starter: "Starter"

    def kill(self) -> None:
        """Kill the run at once."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for the end; return the exit code, negative for a signal."""
        return int(self._starter.order({"wait": self.pid}))

    def finish(self) -> dict[str, Any]:
        """Wait for the end of a run that nobody kills; return what it reports."""
        assert self.wait() == 0
        report: dict[str, Any] = json.loads(self.result.read_text())
        return report


class Starter:
    """The process that forks runs."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._count = 0

    def start(self, store: Path, url: str, count: int, **settings: Any) -> AnsweringRun:
        """Start a run; ``settings`` are a server's, and ``file_bytes``, the largest file."""
        self._count += 1
        result = store.with_name(f"result-{self._count}.json")
        pid = self.order(
            {
                "store": str(store),
                "url": url,
                "count": count,
                "result": str(result),
                **settings,
            }
        )
        return AnsweringRun(int(pid), result, self)

    def order(self, order: Mapping[str, Any]) -> str:
        """Send an order and return the reply."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


@contextmanager
def start_runs() -> Iterator[Starter]:
    """Have a process that forks runs."""
    process = subprocess.Popen(
        [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        yield Starter(process)


def run(order: dict[str, Any]) -> dict[str, Any]:
    """Make one run and say what came of it."""
    path, url, count = Path(order.pop("store")), order.pop("url"), order.pop("count")
    file_bytes = order.pop("file_bytes", None)
    order.pop("result")
    if file_bytes:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    try:
        with AnswerStore(path) as store:
            filled = complete_all(make_requests(count), store, Server(url, "key", **order))
    except PersonamemError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    progress = filled.progress
    return {"stored": progress.stored, "answered": progress.answered, "failed": progress.failed}


def main() -> None:
    """Carry out orders from standard input."""
    import httpx2  # noqa: F401

    for line in sys.stdin:
        order = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            print(os.waitstatus_to_exitcode(status), flush=True)
            continue
        pid = os.fork()
        if pid == 0:
            result = Path(order["result"])
            report = run(order)
            result.write_text(json.dumps(report))
            os._exit(0)
        print(pid, flush=True)


if __name__ == "__main__":
    main()
