"""The benchmark of evaluation: wrong answers end it."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def bench(project_root: Path) -> ModuleType:
    sys.path.insert(0, str(project_root))
    try:
        return importlib.import_module("bench.evaluate")
    finally:
        sys.path.remove(str(project_root))


def test_other_answers_end_the_benchmark(bench: ModuleType) -> None:
    answers = [(-1.0, True), (-2.0, False), (-3.0, False), (-4.0, False)]
    bench.compare(answers, [(value + 5e-4, greedy) for value, greedy in answers])
    with pytest.raises(SystemExit, match="differ"):
        bench.compare(answers, [(value + 5e-3, greedy) for value, greedy in answers])
    with pytest.raises(SystemExit, match="differ"):
        bench.compare(answers, [(value, not greedy) for value, greedy in answers])
