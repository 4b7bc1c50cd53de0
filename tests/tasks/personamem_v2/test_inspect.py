"""The tasks on inspect-ai: the prompts and the scores of the lm-eval tasks of the same names."""

from pathlib import Path

import pytest

pytest.importorskip("inspect_ai")
from inspecting import read_scores, run_inspect, run_lm_eval

from personamem.tasks.personamem_v2.inspect_tasks import TASKS

pytestmark = pytest.mark.system


@pytest.mark.parametrize("protocol", ["corrected", "as_released"])
def test_prompts_and_scores_are_those_of_lm_eval(
    release: Path, protocol: str, tmp_path: Path
) -> None:
    conditions = ("", "_profile", "_rag") if protocol == "corrected" else ("",)
    names = [f"personamem_v2_32k{condition}" for condition in conditions]
    settings = {"dataset": str(release), "protocol": protocol}
    logs, seen = run_inspect([TASKS[name](**settings) for name in names], tmp_path)
    scores, prompts = run_lm_eval(names, **settings)
    assert len(seen) >= 16 * len(names)
    assert sorted(seen) == sorted(prompts)
    for name, log in zip(names, logs, strict=True):
        found = read_scores(log)
        assert {key: found[key] for key in scores[name]} == pytest.approx(scores[name], nan_ok=True)
