"""The tasks on inspect-ai: the prompts and the scores of the lm-eval tasks of the same names."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")
from inspect_ai._util.error import PrerequisiteError
from inspecting import read_scores, run_inspect, run_lm_eval

from personamem.tasks.personamem.inspect_tasks import TASKS

pytestmark = pytest.mark.system

CONDITIONS = ("", "_nocontext", "_oracle", "_rag", "_memory")


@pytest.fixture(scope="module")
def names() -> list[str]:
    return [f"personamem_4k{condition}" for condition in CONDITIONS]


@pytest.fixture(scope="module")
def runs(ours: Path, names: list[str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    tasks = [TASKS[name](dataset=str(ours)) for name in names]
    return run_inspect(tasks, tmp_path_factory.mktemp("logs"))


def test_prompts_and_scores_are_those_of_lm_eval(ours: Path, names: list[str], runs: Any) -> None:
    scores, prompts = run_lm_eval(names, dataset=str(ours))
    logs, seen = runs
    assert len(seen) == 8 * len(names)
    assert sorted(seen) == sorted(prompts)
    for name, log in zip(names, logs, strict=True):
        found = read_scores(log)
        assert found["accuracy"] == found["acc"]
        assert {key: found[key] for key in scores[name]} == pytest.approx(scores[name], nan_ok=True)
    assert len({read_scores(log)["acc"] for log in logs}) > 1


def test_a_sample_holds_the_question_and_not_its_context(runs: Any) -> None:
    for sample in runs[0][0].samples:
        assert isinstance(sample.input, str)
        assert sample.input.startswith("What fruit did I tell you about")
        assert sample.messages[0].role == "system"
        assert sample.metadata["question_id"] == sample.id
        shown = sample.scores["score_reply"].metadata["prompt"]
        assert shown["end_index"] == sample.metadata["end_index_in_shared_context"]


def test_messages_of_a_context_are_shared_by_its_questions(ours: Path) -> None:
    from personamem.tasks.inspection.local_models import make_chat_message

    assert make_chat_message("user", "told once") is make_chat_message("user", "told once")


def test_a_condition_is_a_setting_too(ours: Path) -> None:
    task = TASKS["personamem_4k"](dataset=str(ours), condition="rag", retriever="bm25", k=1)
    assert task.metadata is not None
    assert task.metadata["lm_eval_task"] == "personamem_4k_rag"
    assert task.metadata["settings"] == {"dataset": str(ours), "retriever": "bm25", "k": 1}


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("personamem_4k", {"condition": "orakel"}, "Unknown condition 'orakel'.*'oracle'"),
        ("personamem_4k", {"retreiver": "bm25"}, "Unknown setting of -T 'retreiver'.*'retriever'"),
        ("personamem_4k_rag", {"condition": "full"}, "Unknown setting of -T 'condition'"),
        ("personamem_4k_rag", {"k": 0}, "k 0. Accepted: a whole number from 1"),
        ("personamem_32k", {}, "Unknown split of .* '32k'"),
    ],
)
def test_what_cannot_be_used_is_one_error(
    ours: Path, name: str, settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(PrerequisiteError) as raised:
        TASKS[name](dataset=str(ours), **settings)
    assert raised.match(said) or said in str(raised.value.message)
