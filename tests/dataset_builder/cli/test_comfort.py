"""What makes the command line comfortable: JSON of all figures, completion, near misses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from tiny_dataset import write_ours

from personamem import __version__
from personamem.dataset_builder.cli.app import app

Call = Callable[..., Any]


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return write_ours(tmp_path / "data")


def test_info_writes_its_counts(call: Call, ours: Path, tmp_path: Path) -> None:
    done = call("info", ours, "--json", tmp_path / "info.json")
    assert done.code == 0, done.err
    counts = json.loads((tmp_path / "info.json").read_text())["personamem"]["4k"]
    assert counts["questions"] == sum(counts["types"].values()) == 8
    assert counts["contexts"] == 3
    assert counts["letters"] == {"a": 2, "b": 2, "c": 2, "d": 2}


@pytest.mark.system
def test_build_writes_its_counts(call: Call, tmp_path: Path) -> None:
    words = ("--family", "personamem", "--size", "4k", "--personas", 4, "--questions", 4)
    done = call(
        *("build", *words, "--workers", 1, "--out", tmp_path / "data"),
        *("--json", tmp_path / "built.json"),
    )
    assert done.code == 0, done.err
    built = json.loads((tmp_path / "built.json").read_text())
    assert built["families"]["personamem"]["4k"]["questions"] == 4
    assert built["rows"]["benchmark/4k.parquet"] == 4
    assert built["bytes"] > 0


@pytest.mark.system
def test_plans_are_written(call: Call, ours: Path, tmp_path: Path) -> None:
    words = ("eval", ours, "--split", "4k", "--plan", "--json", tmp_path / "plan.json")
    done = call(*words, "--price-input", 1, "--price-output", 2)
    assert done.code == 0, done.err
    plan = json.loads((tmp_path / "plan.json").read_text())
    assert [task["task"] for task in plan["tasks"]] == ["personamem_4k"]
    assert plan["total"]["questions"] == 8
    assert 0 < plan["cost"]["shared"] <= plan["cost"]["naive"]
    refused = call("eval", ours, "--split", "4k", "--json", tmp_path / "other.json")
    assert refused.code == 2
    assert "--json is for --plan" in refused.err


def test_verdicts_on_a_memory_are_written(call: Call, tmp_path: Path) -> None:
    assert call("memory-check", "bm25", "--json", tmp_path / "good.json").code == 0
    assert call("memory-check", "broken", "--json", tmp_path / "bad.json").code == 1
    good, bad = (json.loads((tmp_path / name).read_text()) for name in ("good.json", "bad.json"))
    assert not any(clause["fault"] for clause in good)
    assert any(clause["fault"] for clause in bad)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["biuld"], "Did you mean 'build'?"),
        (["info", "data", "--splt", "4k"], "--split"),
        (["eval", "data", "--splt", "4k"], "Did you mean '--split'?"),
        (["build", "--size", "128", "--out", "x"], "Did you mean '128k'?"),
    ],
)
def test_a_near_miss_is_answered_with_what_was_meant(
    call: Call, words: list[str], hint: str
) -> None:
    done = call(*words)
    assert done.code == 2
    assert hint in done.err


def test_the_version_is_printed(call: Call) -> None:
    assert call("--version").out == f"{__version__}\n"


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("personamem pa", ["page"]),
        ("personamem info DATA --split 4", ["4k"]),
        (
            "personamem info nowhere --split noise_0",
            ["noise_0", "noise_03", "noise_05", "noise_07"],
        ),
    ],
)
def test_a_shell_completes_commands_and_splits(
    ours: Path, words: str, completed: list[str]
) -> None:
    line = words.replace("DATA", str(ours))
    environment = {
        "_PERSONAMEM_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = typer.testing.CliRunner().invoke(app, [], prog_name="personamem", env=environment)
    assert done.output.split() == completed
