import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()"]


def call(*arguments: object) -> subprocess.CompletedProcess[str]:
    words: Sequence[str] = [*COMMAND, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(
    "command", [[], ["build"], ["info"], ["show"], ["audit"], ["retrieve"], ["eval"]]
)
def test_help_teaches_with_an_example(command: list[str]) -> None:
    done = call(*command, "--help")
    assert done.returncode == 0
    assert "personamem" in done.stdout
    assert "Example:" in done.stdout or not command


def test_build_reports_plain_lines_and_info_and_show_read_the_result(tmp_path: Path) -> None:
    out = tmp_path / "data"
    scale = ("--size", "4k", "--personas", "4", "--communities", "1")
    built = call("build", *scale, "--out", out, "--workers", "1")
    assert built.returncode == 0, built.stderr
    assert "4k: 4/4 contexts" in built.stderr
    assert "32 questions" in built.stdout
    info = call("info", out)
    assert info.returncode == 0, info.stderr
    assert "suggest_new_ideas" in info.stdout
    assert "1 community, 3 people asked" in info.stdout
    shown = call("show", out, "--split", "4k", "--question", "3")
    assert shown.returncode == 0, shown.stderr
    assert "Question:" in shown.stdout
    assert "* (" in shown.stdout
    full = call("show", out, "--split", "4k", "--question", "3", "--full")
    assert len(full.stdout) > len(shown.stdout)
    again = call("build", "--size", "4k", "--personas", "4", "--out", out)
    assert again.returncode == 2
    assert "not empty" in again.stderr


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["build", "--size", "16k", "--out", "x"], ["16k", "4k, 8k, 32k"]),
        (["build", "--topic", "music", "--out", "x"], ["'music'", "musicRecommendation"]),
        (["build", "--personas", "6", "--out", "x"], ["multiple of 4", "6"]),
        (["build", "--questions", "6", "--out", "x"], ["multiple of 4", "6"]),
        (["build", "--config", "none.yaml", "--out", "x"], ["none.yaml", "does not exist"]),
        (["build", "--colour", "red", "--out", "x"], ["--colour"]),
        (["build"], ["--out"]),
        (["info", "no/such/folder"], ["no/such/folder"]),
        (["show", "no/such/folder", "--split", "4k"], ["no/such/folder"]),
        (["eval", "data", "--split", "5k"], ["5k", "4k, 8k, 32k"]),
        (["eval", "data", "--split", "4k", "--condition", "blind"], ["blind", "nocontext"]),
        (["eval", "data", "--split", "4k", "--tasks", "x"], ["--tasks"]),
        (["fly"], ["fly"]),
    ],
)
def test_bad_input_is_one_error_and_exit_code_2(
    arguments: list[str], parts: list[str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    text = " ".join(done.stderr.replace("│", " ").split())
    for part in parts:
        assert part in text, text
    assert list(tmp_path.iterdir()) == []


def test_unknown_question_is_named(dataset: Path) -> None:
    done = call("show", dataset, "--split", "4k", "--question", "nope")
    assert done.returncode == 2
    assert "'nope'" in done.stderr
    assert "Traceback" not in done.stderr


def test_audit_prints_a_verdict_and_writes_reports(dataset: Path, tmp_path: Path) -> None:
    report, page = tmp_path / "audit.json", tmp_path / "audit.html"
    done = call("audit", dataset, "--split", "4k", "--json", report, "--html", page)
    assert done.returncode == 0, done.stderr
    assert "Every check passed: 4k." in done.stdout
    audited = json.loads(report.read_text("utf-8"))["splits"]["4k"]
    assert audited["passed"] is True
    figures = {finding["check"]: finding["figure"] for finding in audited["findings"]}
    assert figures["solver"] == 0
    assert figures["classifier (groups apart)"] == 0.25
    assert {row["policy"] for row in audited["baselines"]["blind"]} >= {"longest", "shortest"}
    assert "<svg" in page.read_text("utf-8")
