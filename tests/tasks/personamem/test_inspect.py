"""The tasks on inspect-ai: the prompts and the scores of the lm-eval tasks of the same names."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")
from calling import call
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import read_eval_log, write_eval_log
from inspecting import read_scores, run_inspect, run_lm_eval
from site_files import read_data

from personamem.dataset_builder.families.samples import read_sample_files, read_samples
from personamem.loaders.formats.errors import DatasetError
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


def test_logs_are_samples_as_those_of_lm_eval(ours: Path, runs: Any, tmp_path: Path) -> None:
    logs, _ = runs
    paths = [Path(log.location) for log in logs]
    files = read_sample_files(paths)
    assert [file.name for file in files[:2]] == [
        "model \u00b7 personamem_4k",
        "model \u00b7 personamem_4k_nocontext",
    ]
    for log, file, condition in zip(logs, files, CONDITIONS, strict=True):
        samples = file.samples.values()
        assert {(s.split, s.condition) for s in samples} == {("4k", condition[1:] or "full")}
        assert sum(s.right for s in samples) / 8 == read_scores(log)["acc"]
        assert {s.question_id: s.text for s in samples} == {
            s.id: s.output.completion for s in log.samples
        }
    assert all(sample.memory for sample in files[4].samples.values())

    shown = call("show", ours, "--samples", paths[0])
    assert shown.returncode == 0, shown.stderr
    right = sum(sample.right for sample in files[0].samples.values())
    assert f"{right} of 8 right" in shown.stdout
    words = [word for path in paths[:2] for word in ("--samples", path)]
    done = call("page", ours, "--out", tmp_path / "site", *words)
    assert done.returncode == 0, done.stderr
    (split,) = read_data(tmp_path / "site", "index")["splits"]
    assert [run["name"] for run in split["runs"]] == [file.name for file in files[:2]]


def test_a_log_that_is_no_samples_is_named(runs: Any, tmp_path: Path) -> None:
    other, broken = tmp_path / "other.eval", tmp_path / "broken.eval"
    log = read_eval_log(runs[0][0].location)
    log.eval.metadata = {}
    write_eval_log(log, str(other))
    broken.write_text("{")
    for path, said in (
        (other, "of no personamem task. Accepted: logs of personamem/personamem_"),
        (broken, "cannot be read as a log of inspect-ai"),
        (tmp_path / "none.eval", "no such file"),
    ):
        with pytest.raises(DatasetError, match=said):
            read_samples(path)
