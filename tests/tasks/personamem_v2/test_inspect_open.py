"""Open replies on inspect-ai: lm-eval's prompts and figures, and a grade by the model of a role."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")
from calling import call
from inspect_ai._util.error import PrerequisiteError
from inspecting import Turns, make_model, read_scores, run_inspect, run_lm_eval

from personamem.dataset_builder.families.personamem.judging.replies import read_open_runs
from personamem.tasks.personamem.inspect_tasks import REFUSED as REFUSED_V1
from personamem.tasks.personamem_v2.inspect_tasks import OPEN_TASKS, REFUSED

pytestmark = pytest.mark.system

TASK = "personamem_v2_32k_open"


def grade(turns: Turns) -> str:
    """Half for what uses what is known, and no verdict that can be read on what leaves it out."""
    assert [role for role, _ in turns] == ["system", "user"]
    return "Fine. Score: 0.5" if "How far is the reply made" in turns[1][1] else "Good, 9/10"


@pytest.fixture(scope="module")
def judged(told: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    rubrics: list[Turns] = []
    folder = tmp_path_factory.mktemp("logs")
    task = OPEN_TASKS[TASK](dataset=str(told))
    (log,), seen = run_inspect([task], folder, judge=make_model(grade, rubrics))
    return log, seen, rubrics


def test_prompts_and_figures_are_those_of_lm_eval(told: Path, judged: Any) -> None:
    log, seen, _ = judged
    scores, prompts = run_lm_eval([TASK], dataset=str(told))
    assert sorted(seen) == sorted(prompts)
    assert log.status == "success", log.error
    graded, checked = log.results.scores
    assert (graded.name, checked.name) == ("judge_reply", "check_reply")
    found = {name: metric.value for name, metric in checked.metrics.items()}
    assert found == pytest.approx(scores[TASK], nan_ok=True)
    assert graded.metrics["mean"].value == 0.5


def test_a_verdict_that_cannot_be_read_counts_in_no_mean(judged: Any) -> None:
    log, _, rubrics = judged
    graded, _ = log.results.scores
    kinds = [sample.metadata["kind"] for sample in log.samples]
    used = sum(kind in ("self", "updated") for kind in kinds)
    assert 0 < used < len(kinds) == len(rubrics)
    assert (graded.scored_samples, graded.unscored_samples) == (used, len(kinds) - used)
    for sample in log.samples:
        score = sample.scores["judge_reply"]
        assert (score.reason == "grader_failed") == (score.explanation == "Good, 9/10")


def test_without_a_judge_nothing_is_asked(told: Path, tmp_path: Path) -> None:
    (log,), seen = run_inspect([OPEN_TASKS[TASK](dataset=str(told))], tmp_path)
    assert (log.status, seen) == ("error", [])
    assert log.error is not None
    assert "--model-role judge=PROVIDER/NAME; or -T judge=false" in log.error.message


def test_replies_are_judged_later_by_our_command(told: Path, tmp_path: Path) -> None:
    task = OPEN_TASKS[TASK](dataset=str(told), judge=False)
    (log,), seen = run_inspect([task], tmp_path)
    assert set(read_scores(log)) == {"empty", "leaked"}
    (run,) = read_open_runs([tmp_path])
    assert run.name == f"model, {TASK}"
    texts = {reply.question_id: reply.text for reply in run.replies}
    assert texts == {sample.id: sample.output.completion for sample in log.samples}
    planned = call("judge", tmp_path, "--model", "grader", "--plan")
    assert planned.returncode == 0, planned.stderr
    assert len(seen) == len(run.replies)


@pytest.mark.parametrize(
    ("tasks", "name", "instead"),
    [
        (REFUSED_V1, "personamem_4k_oracle_ll", "personamem/personamem_4k_oracle,"),
        (REFUSED, "personamem_v2_32k_ll", "personamem/personamem_v2_32k,"),
    ],
)
def test_likelihoods_are_refused_with_what_to_run(tasks: Any, name: str, instead: str) -> None:
    with pytest.raises(PrerequisiteError) as raised:
        tasks[name](dataset="anything")
    said = str(raised.value.message)
    assert f"lm_eval --tasks {name}, or inspect eval {instead}" in said
