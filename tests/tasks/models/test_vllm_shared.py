"""The real vLLM against transformers; `bench/setup_vllm_cpu.sh` makes an environment for it."""

import json
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
MEMORY = {"VLLM_CPU_KVCACHE_SPACE": "2"}
TOLERANCE = 1e-3

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_spec("vllm") is None, reason="vllm is not installed (see bench/setup_vllm_cpu.sh)"
    ),
]

Figures = dict[str, Any]


@pytest.fixture(scope="module")
def measure(
    run: Callable[..., Any],
    environment: dict[str, str],
    smollm2_dir: Path,
    tiny_dataset: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], Figures]:
    def run_model(name: str) -> Figures:
        out = tmp_path_factory.mktemp("figures") / f"{name}.json"
        run(
            *(sys.executable, ROOT / "tests/helpers/model_figures.py"),
            *(name, smollm2_dir, tiny_dataset, out),
            env={**environment, **MEMORY},
            timeout=3600,
        )
        figures: Figures = json.loads(out.read_text(encoding="utf-8"))
        return figures

    return run_model


@pytest.fixture(scope="module")
def ours(measure: Callable[[str], Figures]) -> Figures:
    return measure("vllm-shared")


@pytest.fixture(scope="module")
def theirs(measure: Callable[[str], Figures]) -> Figures:
    from personamem.tasks.models import MODELS

    return measure("hf-shared" if "hf-shared" in MODELS else "hf")


def assert_same_scores(ours: list[Any], theirs: list[Any]) -> None:
    assert [greedy for _, greedy in ours] == [greedy for _, greedy in theirs]
    likelihoods = [likelihood for likelihood, _ in theirs]
    assert [likelihood for likelihood, _ in ours] == pytest.approx(likelihoods, abs=TOLERANCE)


def test_letters_and_replies_are_those_of_transformers(ours: Figures, theirs: Figures) -> None:
    assert len(ours["letters"]) == len(ours["replies"]) == 16
    for mine, other in zip(ours["letters"], theirs["letters"], strict=True):
        assert_same_scores(mine, other)
        best = max(range(4), key=lambda letter: mine[letter][0])
        assert best == max(range(4), key=lambda letter: other[letter][0])
    assert ours["replies"] == theirs["replies"]


def test_continuations_of_any_length_are_scored_alike(ours: Figures, theirs: Figures) -> None:
    assert_same_scores(ours["continuations"], theirs["continuations"])


def test_nine_tenths_of_the_shared_tokens_are_cached(ours: Figures) -> None:
    cache = ours["cache"]
    assert cache["queries"] == cache["prompts"]
    assert cache["hits"] == cache["cached"]
    # In lm-eval's own order, neighbours share 62 % of these prompts; in ours 75 %, all there is.
    assert cache["shared"] > 0.7 * cache["prompts"]
    assert cache["hits"] >= 0.9 * cache["shared"]
