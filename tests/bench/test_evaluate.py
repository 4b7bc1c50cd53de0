"""The benchmark of evaluation: wrong answers end it."""

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

pytestmark = pytest.mark.system


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


def test_another_reply_ends_the_benchmark(bench: ModuleType) -> None:
    bench.compare_replies(["(a)", "(b)"], ["(a)", "(b)"])
    with pytest.raises(SystemExit, match=r"Reply 2 .*'\(c\)' instead of '\(b\)'"):
        bench.compare_replies(["(a)", "(c)"], ["(a)", "(b)"])


def test_replies_are_to_the_last_questions_of_each_context(bench: ModuleType) -> None:
    requests = [
        SimpleNamespace(doc={"shared_context_id": context}, arguments=("", {}), number=number)
        for context in "ab"
        for number in range(5)
    ]
    chosen = bench.choose_last(requests, 2)
    assert [[request.number for request in each] for each in chosen] == [[3, 4], [3, 4]]
    assert requests[0].arguments[1] == {"max_gen_toks": 16}
