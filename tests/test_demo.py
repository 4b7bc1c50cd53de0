"""`make demo` in small: the same script, with fewer questions."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from personamem.loaders.formats.schema import QUESTION_TYPES

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.model
def test_demo_builds_loads_and_scores(
    project_root: Path, smollm2_dir: Path, run: Run, tmp_path: Path
) -> None:
    demo = project_root / "examples" / "demo.py"
    scale = ("--questions", 28, "--limit", 2)
    printed = run(sys.executable, demo, *scale, "--folder", tmp_path / "demo").stdout
    assert "28 questions over 4 contexts" in printed
    for task in ("personamem_4k", "personamem_4k_nocontext"):
        (table,) = re.findall(rf"\|{task} *\|.*\n(?:\|  .*\n)*", printed)
        assert re.search(r"\|acc +\|↑  \| *[01](?:\.\d+)?\|", table), task
        for score in ("unparsable", *(f"acc_{name}" for name in QUESTION_TYPES)):
            assert re.search(rf"\|{score} *\|", table), (task, score)
