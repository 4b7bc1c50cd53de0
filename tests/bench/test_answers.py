"""The benchmark of concurrent requests: its last line can be read."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_bench_prints_the_ratio_of_rates(project_root: Path, run: Run) -> None:
    command = (sys.executable, "-m", "bench.answers", "--pairs", 1, "--requests", 64)
    first, last = run(*command, cwd=project_root).stdout.splitlines()
    assert re.match(r"pair 1: one \d\.\d\d/s, 64 at a time ", first)
    assert re.fullmatch(r"concurrent / one at a time: [\d.]+x \([\d.]+-[\d.]+, 1 pairs\)", last), (
        last
    )
