"""`make demo` in small: the same script, with fewer questions."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from personamem.dataset_builder.schema import QUESTION_TYPES

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.model
def test_demo_builds_loads_and_scores(
    project_root: Path, smollm2_dir: Path, run: Run, tmp_path: Path
) -> None:
    demo = project_root / "examples" / "demo.py"
    printed = run(sys.executable, demo, "--questions", 8, "--folder", tmp_path / "demo").stdout
    assert "64 questions over 8 contexts" in printed
    table = printed[printed.index("Accuracy") :]
    for name in ("acc", "unparsable", *(f"acc_{name}" for name in QUESTION_TYPES)):
        assert re.search(rf"{name}\b.* [01]\.\d{{3}} .* [01]\.\d{{3}} ", table), name
