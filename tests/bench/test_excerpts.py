"""Excerpts for raters: in pairs, each once, with a key of its own."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_ours_and_theirs_are_shuffled(
    project_root: Path, tiny_dataset: Path, tmp_path: Path, run: Run
) -> None:
    said = [
        {"role": role, "content": f"{role.capitalize()}: {number} " + "word " * 60}
        for number in range(40)
        for role in ("user", "assistant")
    ]
    theirs = tmp_path / "contexts.jsonl"
    theirs.write_text(json.dumps({"context": said}) + "\n", "utf-8")
    words = [tiny_dataset, "--split", "4k", "--number", 3, "--against", theirs, "--seed", 5]
    command = (sys.executable, "-m", "bench.excerpts", *words, "--out", tmp_path / "out")
    assert "6 excerpts" in run(*command, cwd=project_root).stdout
    key = json.loads((tmp_path / "out.key.json").read_text("utf-8"))
    text = (tmp_path / "out.txt").read_text("utf-8")
    assert Counter(entry["whose"] for entry in key.values()) == {"ours": 3, "theirs": 3}
    assert list(key) == ["1A", "1B", "2A", "2B", "3A", "3B"]
    for name, entry in key.items():
        excerpt = text.split(f"======== {name} ========\n")[1].split("\n========")[0]
        assert len(excerpt) >= 3_200
        assert ("word word" in excerpt) == (entry["whose"] == "theirs")
    assert "[user] User: " not in text
