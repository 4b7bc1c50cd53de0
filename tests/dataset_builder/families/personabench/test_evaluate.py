"""Evaluations of open questions: their names, their plans, their samples."""

from pathlib import Path

import pytest
from calling import call
from evaluating import parse, run_dummy
from tiny_communities import write_communities

pytestmark = pytest.mark.system


def test_a_noise_level_names_open_tasks() -> None:
    words = ("data", "--split", "noise_05", "--split", "noise_0")
    assert parse(*words, "--condition", "oracle", "--condition", "rag").tasks == (
        *("personabench_noise_05", "personabench_noise_05_oracle", "personabench_noise_05_rag"),
        *("personabench_noise_0", "personabench_noise_0_oracle", "personabench_noise_0_rag"),
    )
    assert parse("data", "--split", "4k", "--condition", "rag").tasks[1] == "personamem_4k_rag"
    assert parse("data", "--tasks", "personabench_oracle").tasks == ("personabench_oracle",)


def test_open_questions_are_answered_and_shown(tmp_path: Path) -> None:
    source = write_communities(tmp_path / "talks")
    samples = run_dummy(tmp_path, source, "--tasks", "personabench_noise_05_oracle", "--limit", "5")
    prompt = samples[4]["arguments"]["gen_args_0"]["arg_0"]
    assert (prompt["split"], prompt["sessions"]) == ("noise_05", ["ada-003"])
    (path,) = tmp_path.glob("out/**/samples_*.jsonl")

    listed = call("show", source, "--samples", path)
    assert listed.returncode == 0, listed.stderr
    assert "q1 Ada Winter, basic, recall 0.00, F1 0.00, gold 39: lol" in listed.stdout
    assert "recall 0.000, F1 0.000 over 5 questions" in listed.stdout
    shown = call("show", source, "--samples", path, "--question", "q4")
    for text in (
        "What do I drink?",
        "Tea was my drink once",
        "mead: in ada-003",
        'no longer: ["tea',
    ):
        assert text in shown.stdout
    assert "It rained" not in shown.stdout
    assert "Answered (condition oracle), recall 0.00, F1 0.00: lol" in shown.stdout
    last = call("show", source, "--samples", path, "--question", "6")
    assert last.returncode == 2
    assert "none of question q6" in last.stderr
    full = call("show", source, "--split", "noise_05", "--full")
    assert "It rained" in full.stdout
    other = call("show", source, "--split", "noise_05", "--question", "q9")
    assert "'q9'. Accepted: a question id, or a number from 0 to 7" in other.stderr
