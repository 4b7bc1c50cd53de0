"""Whole runs of ``complete_all`` against a server that fails, in processes that are killed."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from answering_process import Starter, make_requests, start_runs
from fault_server import ISSUE_FAULTS, Behaviour, RunningServer, answer_to, serve_faults

from personamem.dataset_builder.llm import Answer, AnswerStore, Server, complete_all

pytestmark = pytest.mark.system

COUNT = 500
FEWER = 160


@pytest.fixture(scope="module")
def starter() -> Iterator[Starter]:
    with start_runs() as started:
        yield started


def read_rows(path: Path) -> list[tuple[str, str, str]]:
    """What the store holds, as bytes on the disk, without the times."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT key, request, outcome FROM answers ORDER BY key")
        return rows.fetchall()


def count_stored(path: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT COUNT(*) FROM answers").fetchone()[0])
    except sqlite3.OperationalError:  # Not there yet.
        return 0


def check_payments(server: RunningServer, count: int) -> None:
    """Every request was answered once, and asked again after a fault only."""
    counts = server.counts
    assert len(counts) == count
    assert {one["answered"] for one in counts.values()} == {1}
    assert all(one["asked"] == 1 + one.get("faults", 0) for one in counts.values())


def test_faults_and_an_outage_lose_nothing_and_cost_nothing_twice(tmp_path: Path) -> None:
    sound = Behaviour(latency=0.2)
    faulty = Behaviour(
        latency=0.2,
        seed=4,
        faults=ISSUE_FAULTS,
        retry_after="0.5",
        outage_after=FEWER // 2,
        outage_seconds=2.0,
    )
    rows = []
    for number, behaviour in enumerate((sound, faulty)):
        path = tmp_path / f"{number}.sqlite"
        with serve_faults(behaviour) as server, AnswerStore(path) as store:
            asked = Server(server.url, "key", concurrency=16, timeout=2.0)
            filled = complete_all(make_requests(FEWER), store, asked)
            check_payments(server, FEWER)
        assert filled.failures == ()
        assert (filled.progress.done, filled.progress.answered) == (FEWER, FEWER)
        assert filled.progress.attempts >= FEWER * (1.25 if number else 1)
        rows.append(read_rows(path))
    assert rows[0] == rows[1]
    assert len(rows[0]) == FEWER


def test_twenty_kills_change_nothing_and_no_stored_answer_is_asked_again(
    tmp_path: Path, starter: Starter
) -> None:
    random, path, whole = Random(5), tmp_path / "killed.sqlite", tmp_path / "whole.sqlite"
    behaviour = Behaviour(latency=0.05)
    with serve_faults(behaviour) as server:
        asked_when_stored: dict[str, int] = {}
        for _ in range(20):
            run = starter.start(path, server.url, COUNT, concurrency=8)
            goal = len(asked_when_stored) + random.randint(1, 18)
            while count_stored(path) < goal:
                time.sleep(random.uniform(0, 0.01))
            run.kill()
            assert run.wait() == -9
            with AnswerStore(path) as store:
                stored = {key for key, _ in store.items()}
            counts = server.counts
            for request in make_requests(COUNT):
                if request.key in stored:
                    prompt = request.messages[-1]["content"]
                    asked_when_stored.setdefault(prompt, counts[prompt]["asked"])
        report = starter.start(path, server.url, COUNT, concurrency=8).finish()
        counts = server.counts
    assert report == {
        "stored": len(asked_when_stored),
        "answered": COUNT - len(asked_when_stored),
        "failed": 0,
    }
    assert 20 < len(asked_when_stored) < COUNT
    for prompt, asked in asked_when_stored.items():
        assert counts[prompt]["asked"] == asked, prompt
    # At each kill, no more than what was under way was paid in vain.
    assert sum(one["asked"] for one in counts.values()) <= COUNT + 20 * 8

    with serve_faults(behaviour) as server:
        assert starter.start(whole, server.url, COUNT, concurrency=16).finish()["stored"] == 0
    assert read_rows(path) == read_rows(whole)
    assert sorted(file.name for file in tmp_path.iterdir() if file.suffix != ".json") == [
        *("killed.sqlite", "killed.sqlite.lock"),
        *("whole.sqlite", "whole.sqlite.lock"),
    ]


def test_a_second_run_is_told_that_the_store_is_in_use(tmp_path: Path, starter: Starter) -> None:
    path = tmp_path / "shared.sqlite"
    with serve_faults(Behaviour(latency=1.0)) as server:
        first = starter.start(path, server.url, 8, concurrency=8)
        while len(server.counts) < 8:
            time.sleep(0.01)
        error = starter.start(path, server.url, 9, concurrency=8).finish()["error"]
        assert error.startswith(f"StoreError: {path} is in use by another run")
        assert first.finish() == {"stored": 0, "answered": 8, "failed": 0}
        check_payments(server, 8)
        # What is stored can be read meanwhile, and the rest be asked for afterwards.
        report = starter.start(path, server.url, 9, concurrency=8).finish()
        assert report == {"stored": 8, "answered": 1, "failed": 0}
        check_payments(server, 9)


def test_a_killed_run_does_not_lock_out_the_next(tmp_path: Path, starter: Starter) -> None:
    path = tmp_path / "shared.sqlite"
    with serve_faults(Behaviour(latency=2.0)) as slow:
        dying = starter.start(path, slow.url, 8, concurrency=8)
        while len(slow.counts) < 8:
            time.sleep(0.01)
        dying.kill()
        assert dying.wait() == -9
    with serve_faults(Behaviour()) as server:
        living = starter.start(path, server.url, 8, concurrency=8)
        assert living.finish() == {"stored": 0, "answered": 8, "failed": 0}


def test_a_full_disk_is_one_clear_error_and_loses_nothing(tmp_path: Path, starter: Starter) -> None:
    path = tmp_path / "full.sqlite"
    with serve_faults(Behaviour()) as server:
        limited = {"concurrency": 4, "file_bytes": 1_500_000}
        error = starter.start(path, server.url, COUNT, **limited).finish()["error"]
        assert error.startswith(f"StoreError: {path}: an answer cannot be written")
        assert "make room on the disk" in error
        with AnswerStore(path) as store:
            kept = dict(store.items())
        assert 20 < len(kept) < COUNT
        report = starter.start(path, server.url, COUNT, concurrency=4).finish()
        assert report == {"stored": len(kept), "answered": COUNT - len(kept), "failed": 0}
        # Those that were paid when the disk was full could not be kept.
        asked = sum(one["asked"] for one in server.counts.values())
        assert COUNT <= asked <= COUNT + 4
    with AnswerStore(path) as store:
        assert len(store) == COUNT
        for request in make_requests(COUNT):
            outcome = store.get(request.key)
            assert isinstance(outcome, Answer)
            assert outcome.text == answer_to(request.messages[-1]["content"])


def test_as_many_are_under_way_as_the_server_takes(store: AnswerStore) -> None:
    with serve_faults(Behaviour(latency=0.2)) as server:
        complete_all(make_requests(256), store, Server(server.url, "key", concurrency=64))
        assert 48 <= server.most_at_once <= 64
