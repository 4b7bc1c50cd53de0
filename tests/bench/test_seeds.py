"""The benchmark of seeds: it builds, audits, and its last line can be read by a machine."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_bench_prints_how_many_seeds_are_sound(project_root: Path, run: Run) -> None:
    # Seed 3002 once said "joins in in".
    command = (sys.executable, "-m", "bench.seeds", "--size", "4k", "--seed", 3002)
    lines = run(*command, "--workers", 1, cwd=project_root).stdout.splitlines()
    assert re.fullmatch(r"seed 3002: build [\d.]+ s, audit [\d.]+ s, ok", lines[0])
    assert re.fullmatch(r"sound: 1 of 1 datasets \(4k; .*\)", lines[-1])
