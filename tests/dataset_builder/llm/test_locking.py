"""A store that another program or another run holds."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from answering_process import make_requests
from fault_server import Behaviour, serve_faults

from personamem.dataset_builder.llm import AnswerStore, Server, answer_all, complete_all

pytestmark = pytest.mark.system

_LOCK = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
print("ready", flush=True)
sys.stdin.readline()
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(float(sys.argv[2]))
database.execute("ROLLBACK")
"""


@contextmanager
def prepare_lock(path: Path, seconds: float) -> Iterator[Callable[[], None]]:
    """Yield a function that has another process lock the store for writing for some seconds."""
    command = [sys.executable, "-c", _LOCK, str(path), str(seconds)]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

        def lock() -> None:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("now\n")
            process.stdin.flush()
            assert process.stdout.readline() == "locked\n"

        yield lock


def test_a_locked_store_is_no_fault_of_the_server(store: AnswerStore) -> None:
    requests = make_requests(6)
    said: list[str] = []

    def lock_when_sent() -> None:
        while len(server.counts) < len(requests):
            time.sleep(0.01)
        lock()

    with (
        serve_faults(Behaviour(latency=1.0)) as server,
        prepare_lock(store.path, 5.0) as lock,
        ThreadPoolExecutor(1) as thread,
    ):
        locked = thread.submit(lock_when_sent)
        asked = Server(server.url, timeout=2.0)
        summary = complete_all(
            requests, store, asked, report=lambda progress: said.append(progress.trouble)
        )
        locked.result()
        assert sum(one["asked"] for one in server.counts.values()) == 6
    assert (summary.progress.answered, summary.progress.attempts) == (6, 6)
    assert len(store) == 6
    assert "the store is slow, or locked by another program" in said
    assert said[-1] == ""


def test_a_consumer_that_stops_does_not_wait_for_a_locked_store(store: AnswerStore) -> None:
    async def run(url: str) -> None:
        answers = answer_all(make_requests(6), store, Server(url, concurrency=1))
        async for _ in answers:
            lock()
            await asyncio.sleep(0.5)
            break
        await answers.aclose()  # type: ignore[attr-defined]

    with (
        serve_faults(Behaviour(latency=0.1)) as server,
        prepare_lock(store.path, 4.0) as lock,
    ):
        asyncio.run(run(server.url))
        started = time.monotonic()
    # Only the other process took its time.
    assert time.monotonic() - started > 2.0
    with serve_faults(Behaviour()) as server:
        assert complete_all(make_requests(6), store, Server(server.url)).progress.done == 6
