"""The tasks on inspect-ai: the prompts and the scores of the lm-eval tasks of the same names."""

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
from calling import call
from inspecting import read_scores, run_inspect, run_lm_eval

from personamem.tasks.personabench.inspect_tasks import TASKS

pytestmark = pytest.mark.system


def test_prompts_scores_and_reports_are_those_of_lm_eval(communities: Path, tmp_path: Path) -> None:
    names = [f"personabench_noise_05{suffix}" for suffix in ("", "_oracle", "_rag", "_nocontext")]
    logs, seen = run_inspect(
        [TASKS[name](dataset=str(communities), **_settings(name)) for name in names], tmp_path
    )
    scores, prompts = run_lm_eval(names, dataset=str(communities), k=2)
    assert len(seen) == 32
    assert sorted(seen) == sorted(prompts)
    for name, log in zip(names, logs, strict=True):
        found = read_scores(log)
        assert found["mean"] == found["recall"]
        assert {key: found[key] for key in scores[name]} == pytest.approx(scores[name], nan_ok=True)
    done = call("report", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "bm25, k = 2" in done.stdout


def _settings(name: str) -> dict[str, int]:
    return {"k": 2} if name.endswith("_rag") else {}
