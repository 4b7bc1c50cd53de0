"""The benchmark of joining: both sides join the same, and its last line can be read."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_bench_prints_the_ratio_of_recipe_to_loaders(
    project_root: Path, run: Run, tiny_dataset: Path
) -> None:
    command = (sys.executable, "-m", "bench.load", tiny_dataset, "--split", "4k", "--pairs", 1)
    first, last = run(*command, cwd=project_root).stdout.splitlines()
    assert first.startswith("pair 1: 28 questions, recipe ")
    assert re.fullmatch(r"official recipe / loaders: [\d.]+x \([\d.]+-[\d.]+, 1 pairs\)", last), (
        last
    )
