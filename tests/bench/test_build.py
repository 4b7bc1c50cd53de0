"""The benchmark of the build: it runs, and its last line can be read by a machine."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_bench_prints_the_ratio_of_build_to_floor(project_root: Path, run: Run) -> None:
    scale = ("--size", "32k", "--personas", 4, "--questions", 28)
    command = (sys.executable, "-m", "bench.build", "--pairs", 1, "--family", "personamem", *scale)
    last = run(*command, cwd=project_root).stdout.splitlines()[-1]
    found = re.fullmatch(r"build / floor: ([\d.]+)x \(([\d.]+)-([\d.]+), 1 pairs\)", last)
    assert found, last
    ratio, low, high = map(float, found.groups())
    assert 1 < low <= ratio <= high
