"""The commands that test memories: tables, figures, exit codes."""

import json
from pathlib import Path

import pytest
from calling import call

from personamem.dataset_builder.families.personamem.memory.command import name_folder

pytestmark = pytest.mark.system


def test_the_command_prints_tables_writes_figures_and_keeps_runs(
    tiny_dataset: Path, tmp_path: Path
) -> None:
    path, out = tmp_path / "figures.json", tmp_path / "runs"
    options = ("--split", "4k", "--system", "oracle", "--system", "none", "--budget", "900")
    options += ("--side-by-side", "4", "--price-input", "1", "--price-output", "2")
    done = call("memory", tiny_dataset, *options, "--json", path, "--out", out)
    assert done.returncode == 0, done.stderr
    figures = json.loads(path.read_text())
    oracle, none = figures["budgets"]
    assert (oracle["recall"], none["recall"], none["written"]) == (1.0, 0.0, 0.0)
    assert [row["price"] for row in figures["costs"]] == [0.0, 0.0]
    assert figures["costs"][0]["sessions"] == sum(run["adds"] for run in figures["runs"]["oracle"])
    assert (out / "oracle" / "run.json").exists()
    again = call("memory", tiny_dataset, *options, "--out", out, "--fail-under", "0.5")
    assert again.returncode == 1
    assert "none at 900 tokens: recall 0.000, under 0.5." in " ".join(again.stderr.split())


def test_a_memory_that_loses_contexts_ends_with_exit_code_1(tiny_dataset: Path) -> None:
    done = call("memory", tiny_dataset, "--split", "4k", "--system", "cmd:false", "--budget", "50")
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "contexts could not be added whole" in said
    assert "it ended with exit code 1" in said


def test_folders_are_named_after_systems() -> None:
    assert name_folder("bm25") == "bm25"
    assert name_folder("cmd:python a/b.py --x") == "cmd-python-a-b-py-x"
