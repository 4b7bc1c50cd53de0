"""``personamem judge`` against a scripted server: rubrics, calls, the store, figures by class."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import call
from scripted_server import Received, make_answer, make_reply, serve_script
from version2_specimen import CASES, PHONE

from personamem.dataset_builder.families.personamem.judging.replies import read_open_runs
from personamem.tasks.personamem_v2.judging.rubrics import render_rubric

pytestmark = pytest.mark.system

WriteSamples = Callable[..., Path]
COMMAND = [sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()"]
ROWS = 2 * len(CASES)
CALLS = len(CASES)
"""The two personas of the specimen have the same rows, so one call serves both."""


def last_of(received: Received) -> str:
    return str(json.loads(received.body)["messages"][-1]["content"])


def test_the_rubric_follows_the_class_of_a_row(tmp_path: Path, write_samples: WriteSamples) -> None:
    (run,) = read_open_runs([write_samples(tmp_path)])
    asked = {reply.kind: render_rubric(reply) for reply in run.replies}
    for kind, rubric in asked.items():
        is_positive = "How far is the reply made for this user?" in rubric
        assert is_positive == (kind in ("self", "updated")), kind
        assert ("How well does the reply help without it?" in rubric) != is_positive
    assert "holds no longer:\n<former>\nTravels by plane\n" in asked["updated"]
    assert "<former>" not in asked["self"]
    assert "asked the assistant to forget this:\n<withheld>\nCollects stamps\n" in asked["forget"]
    assert "not of the user:\n<withheld>\nKeeps bees\n" in asked["others"]
    assert f"<withheld>\n{PHONE}\n" in asked["sensitive"]
    assert not any("sensitive_info" in rubric for rubric in asked.values())


def reply_with(doc: dict[str, Any]) -> str:
    if doc["question_id"] == "row-9":
        return f"Call {PHONE.replace(' ', '-')}!"
    if doc["question_id"] == "row-1":
        return "<think>nothing comes to mind</think>"
    return str(doc["gold"])


def grade(received: Received) -> list[bytes]:
    prompt = last_of(received)
    if "<known>" not in prompt:
        return [make_answer('{"score": 1}')]
    if "tea" in prompt:
        return [make_answer("A fine reply, 9 of 10.")]
    if "nuts" in prompt:
        return [make_reply(400, b'{"error": {"code": "content_filter", "message": "no"}}')]
    return [make_answer("Half of it. Score: 0.5")]


def test_replies_are_judged_once_each_and_figures_are_by_class(
    tmp_path: Path, write_samples: WriteSamples
) -> None:
    samples, found = write_samples(tmp_path, reply_with), tmp_path / "found.json"
    words = ("judge", tmp_path, "--model", "grader", "--json", found)
    with serve_script(grade) as server:
        planned = call(*words, "--plan", "--price-input", "1", "--price-output", "2")
        assert "calls: 10, and 0 whose verdict is stored" in planned.stdout
        assert server.received == []
        done = call(*words, "--base-url", server.url)
        assert done.returncode == 0, done.stderr
        asked = Counter(map(last_of, server.received))
        # Persona 47 has row 1's reply and row 9's other reply beside those that both have.
        assert len(asked) == CALLS + 1
        assert set(asked.values()) == {1}
        bodies = [json.loads(each.body) for each in server.received]
        assert {body["temperature"] for body in bodies} == {0}
        assert {body["model"] for body in bodies} == {"grader"}
    again = call(*words)
    assert again.returncode == 0, again.stderr
    assert again.stdout == done.stdout
    assert (tmp_path / "judgements.sqlite").exists()
    rows = {
        line.split("│")[1].strip(): line.split("│")[2:-1]
        for line in again.stdout.split("\n")
        if line.startswith("│")
    }
    cells = {name: [cell.strip() for cell in line] for name, line in rows.items()}
    # Of ten about the user: one is empty, two are unreadable and two refused by the judge.
    assert cells["self"][0] == f"{(5 * 0.5) / 6:.3f}"
    assert cells["self"][2:] == ["10", "6", "1", "0", "2", "2"]
    assert cells["forget"][:1] + cells["forget"][2:] == ["1.000", "2", "2", "0", "0", "0", "0"]
    assert cells["sensitive"][:1] + cells["sensitive"][2:] == [
        "0.500",
        "2",
        "2",
        "0",
        "1",
        "0",
        "0",
    ]
    assert cells["all"][2:] == ["18", "14", "1", "1", "2", "2"]
    assert cells["chat message"][0] == "0.500"
    record = json.loads(found.read_text("utf-8"))
    verdicts = record["runs"][str(samples)]
    assert [each["status"] for each in verdicts if each["question_id"] in ("row-1", "row-9")] == [
        *("empty", "leaked"),
    ]
    assert verdicts[2]["score"] is None
    assert verdicts[2]["verdict"] == "A fine reply, 9 of 10."


def test_a_killed_run_pays_for_no_verdict_twice(
    tmp_path: Path, write_samples: WriteSamples
) -> None:
    write_samples(tmp_path, lambda doc: f"{doc['gold']} {doc['question_id']}")
    lock, order, running = threading.Lock(), [], []

    def grade_until_killed(received: Received) -> list[bytes]:
        with lock:
            order.append(last_of(received))
            if len(order) == 8:
                os.kill(running[0].pid, signal.SIGKILL)
                running[0].wait()
                return []
        return [make_answer('{"score": 1}')]

    words = ["judge", str(tmp_path), "--model", "grader", "--concurrency", "1", "--base-url"]
    with serve_script(grade_until_killed) as server:
        with lock:
            running.append(subprocess.Popen([*COMMAND, *words, server.url]))
        assert running[0].wait(60) == -signal.SIGKILL
        assert len(order) == 8
        done = call(*words, server.url)
        assert done.returncode == 0, done.stderr
    # The request under way is lost, and at most the verdict before it, which was being stored.
    counts = Counter(order)
    assert len(counts) == ROWS
    assert sum(counts.values()) <= ROWS + 2
    assert max(counts.values()) <= 2


def test_what_cannot_be_judged_is_named(tmp_path: Path, write_samples: WriteSamples) -> None:
    def refuse(*words: object) -> str:
        done = call("judge", *words, "--model", "grader")
        assert done.returncode == 2, done.stderr
        return done.stderr

    assert "does not exist" in refuse(tmp_path / "none")
    assert "holds no samples_personamem_v2_*_open_*.jsonl" in refuse(tmp_path)
    path = write_samples(tmp_path)
    assert "lacks 18 verdicts of 'grader'" in refuse(path)
    assert "--budget needs" in refuse(path, "--budget", "1")
    assert "is not an address" in refuse(path, "--base-url", "localhost")
    path.write_text('{"doc": {"mode": "choice", "kind": "self"}}\n')
    assert "line 1 is not a sample of a task personamem_v2_..._open" in refuse(path)
    path.write_text('{"doc": \n')
    assert "cannot be read" in refuse(path)
    path.write_text("")
    assert "holds no samples" in refuse(path)
