"""`make demo` in small: the same script, with fewer questions and layers."""

import re
import sys
from pathlib import Path

import pytest
from preloaded_programs import find_programs

from personamem.loaders.formats.schema import QUESTION_TYPES


@pytest.mark.model
def test_demo_builds_loads_and_scores(
    project_root: Path,
    short_model_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.syspath_prepend(project_root / "examples")
    import demo

    words = ["demo.py", "--questions", "28", "--limit", "2", "--folder", str(tmp_path / "demo")]
    monkeypatch.setattr(sys, "argv", words)
    # The first layers of its model, whose export is tested beside (``examples/test_smollm2.py``).
    monkeypatch.setattr(demo, "export_smollm2", lambda folder: short_model_dir)
    # It runs the programs beside Python; these only start otherwise.
    monkeypatch.setattr(sys, "executable", str(find_programs() / "python"))
    assert demo.main() == 0
    printed = capfd.readouterr().out
    assert "28 questions over 4 contexts" in printed
    for task in ("personamem_4k", "personamem_4k_nocontext"):
        (table,) = re.findall(rf"\|{task} *\|.*\n(?:\|  .*\n)*", printed)
        assert re.search(r"\|acc +\|↑  \| *[01](?:\.\d+)?\|", table), task
        for score in ("unparsable", *(f"acc_{name}" for name in QUESTION_TYPES)):
            assert re.search(rf"\|{score} *\|", table), (task, score)
