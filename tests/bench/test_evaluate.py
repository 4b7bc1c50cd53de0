"""The benchmark of evaluation: its lines can be read by a machine, and wrong answers end it."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def bench(project_root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "bench_evaluate", project_root / "bench" / "evaluate.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_line_names_the_median_and_the_range(bench: ModuleType) -> None:
    line = bench.describe("hf", [4.0, 6.0, 5.0])
    assert line == "hf / hf-shared: 5.00x (4.00-6.00, 3 pairs)"


def test_other_answers_end_the_benchmark(bench: ModuleType) -> None:
    answers = [(-1.0, True), (-2.0, False), (-3.0, False), (-4.0, False)]
    bench.compare(answers, [(value + 5e-4, greedy) for value, greedy in answers])
    with pytest.raises(SystemExit, match="differ"):
        bench.compare(answers, [(value + 5e-3, greedy) for value, greedy in answers])
    with pytest.raises(SystemExit, match="differ"):
        bench.compare(answers, [(value, not greedy) for value, greedy in answers])
