"""The benchmark of the block cache: a line a budget, with ours at the floor."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_every_budget_has_its_line(project_root: Path, run: Run, tiny_dataset: Path) -> None:
    command = (sys.executable, "-m", "bench.block_cache", tiny_dataset, "--splits", "4k")
    lines = run(*command, cwd=project_root).stdout.splitlines()
    found = [
        re.fullmatch(
            r"block cache 4k, (\w+): ([\d.]+)x \(ours ([\d.]+)x the floor; 28 of 28 prompts\)", line
        )
        for line in lines
    ]
    assert all(found), lines
    assert [line[1] for line in found if line] == ["64k", "128k", "256k", "512k", "1M"]
    assert all(float(line[2]) >= 1 and 1 <= float(line[3]) <= 1.05 for line in found if line)
