"""An evaluation that is killed goes on where it was, and comes to the same results."""

import json
import os
import random
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer, serve_chat
from preloaded_programs import find_programs, kill_run

from personamem.dataset_builder.cli.resume import count_answers, keep_answers
from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

KILLS = int(os.environ.get("PERSONAMEM_KILLS", "2"))
VOLATILE = {
    *("date", "start_time", "end_time", "total_evaluation_time_seconds", "pretty_env_info"),
    "git_hash",
}


def start(dataset: Path, url: str, folder: Path) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    words = ["eval", str(dataset), "--split", "4k", "--model", "local-chat-completions"]
    words += ["--model_args", f"model=m,base_url={url}", "--output_path", "out", "--log_samples"]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            [find_programs() / "personamem", *words],
            cwd=folder,
            stdout=log,
            stderr=log,
        )


def read_run(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    (results,) = folder.glob("out/**/results_*.json")
    (samples,) = folder.glob("out/**/samples_*.jsonl")
    # lm-eval writes functions of the configuration with their addresses.
    report = json.loads(re.sub("0x[0-9a-f]+", "0x", results.read_text("utf-8")))
    lines = samples.read_text("utf-8").splitlines()
    kept = {key: value for key, value in report.items() if key not in VOLATILE}
    return kept, [json.loads(line) for line in lines]


def kill_in_midrun(process: subprocess.Popen[bytes], server: ChatServer, more: int) -> None:
    target = len(server.bodies) + more
    while len(server.bodies) < target and process.poll() is None:
        time.sleep(0.01)
    time.sleep(random.uniform(0, 2 * server.delay))
    kill_run(process)


def test_killed_and_resumed_is_as_never_killed(tiny_dataset: Path, tmp_path: Path) -> None:
    with serve_chat() as server:
        server.delay = 0.05
        whole = start(tiny_dataset, server.url, tmp_path / "whole")
        assert whole.wait(300) == 0, (tmp_path / "whole/log").read_text()
        assert len(server.bodies) == 28
        for number in range(KILLS):
            process = start(tiny_dataset, server.url, tmp_path / "killed")
            kill_in_midrun(process, server, random.randint(0, max(1, 20 // KILLS)))
            assert process.returncode == -signal.SIGKILL, number
        last = start(tiny_dataset, server.url, tmp_path / "killed")
        assert last.wait(300) == 0, (tmp_path / "killed/log").read_text()
        # What a kill can cost: the answer under way, and one on its way to the disk.
        assert 56 <= len(server.bodies) <= 56 + 2 * KILLS
    (report, samples), (expected, all_samples) = map(
        read_run, (tmp_path / "killed", tmp_path / "whole")
    )
    assert samples == all_samples
    assert {key for key in expected | report if expected.get(key) != report.get(key)} == set()
    assert not list((tmp_path / "killed/out").glob("unfinished*"))


@pytest.mark.system
def test_a_full_disk_is_one_error_and_the_answers_are_kept(dataset: Path, tmp_path: Path) -> None:
    # A limit on the size of files stands for a disk that is full.
    words = [
        find_programs() / "personamem",
        "eval",
        str(dataset),
        "--split",
        "4k",
        "--model",
        "dummy",
    ]
    words += ["--output_path", "out"]
    full = subprocess.run(
        ["bash", "-c", 'ulimit -f 16; exec "$@"', "bash", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert full.returncode == 1, full.stderr
    assert "Traceback" not in full.stderr
    shown = " ".join(full.stderr.split())
    assert "an answer cannot be written: " in shown
    assert "Make room on the disk and run the same command again." in shown
    again = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert "Continuing an unfinished run with" in again.stderr


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    """An output folder with an answer of an unfinished run."""
    from sqlitedict import SqliteDict

    with SqliteDict(str(tmp_path / "unfinished_m1_rank0.db"), autocommit=True) as answers:
        answers["a"] = 1
    return tmp_path


def test_answers_go_when_results_are_there_and_only_then(answered: Path) -> None:
    with pytest.raises(InterruptedError), keep_answers(str(answered), "m1"):
        raise InterruptedError
    with (
        pytest.raises(PersonamemError, match="wrote no results"),
        keep_answers(str(answered / "name.json"), "m1"),
    ):
        pass
    assert count_answers(answered / "unfinished_m1") == 1
    with keep_answers(str(answered), "m1") as path:
        assert path == str(answered / "unfinished_m1")
        (answered / "results_now.json").write_text("{}")
    names = sorted(file.name for file in answered.iterdir())
    assert names == [".unfinished_m1.lock", "results_now.json"]


def test_other_models_have_other_answers_and_two_at_once_are_refused(answered: Path) -> None:
    refused = pytest.raises(InvalidInputError, match="Another evaluation")
    with keep_answers(str(answered), "m2") as path:
        assert count_answers(Path(path)) == 0
        with refused, keep_answers(str(answered), "m2"):
            pass
        (answered / "results_now.json").write_text("{}")
    assert count_answers(answered / "unfinished_m1") == 1


def test_a_file_that_holds_no_table_yet_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "unfinished_m1_rank0.db").write_bytes(b"")
    assert count_answers(tmp_path / "unfinished_m1") == 0
