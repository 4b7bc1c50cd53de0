"""lm-eval itself, with the dummy model and with a transformers model of a few weights."""

import json
from pathlib import Path
from typing import Any

import pytest
from calling import call
from evaluation_process import run_evaluation

from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system


def read_results(folder: Path) -> dict[str, Any]:
    (path,) = folder.rglob("results_*.json")
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_dummy_model_runs_every_kind_of_task(
    ours: Path, tasks_folder: Path, tmp_path: Path
) -> None:
    conditions = ["", "_nocontext", "_oracle", "_rag", "_memory"]
    names = [f"personamem_4k{name}{ll}" for name in conditions for ll in ("", "_ll")]
    log = run_evaluation(
        *("--model", "dummy", "--tasks", ",".join(names), "--include_path", tasks_folder),
        *(
            "--metadata",
            json.dumps({"dataset": str(ours)}),
            "--output_path",
            tmp_path / "out",
            "--log_samples",
        ),
        log=tmp_path / "log.txt",
    )
    assert "WARNING" not in log
    assert "Warning" not in log
    report = read_results(tmp_path / "out")
    assert set(report["results"]) == set(names)
    for name in names:
        scores = report["results"][name]
        assert isinstance(scores["acc_stderr,none"], float)
        assert "acc_recall_user_shared_facts,none" in scores
        levels = [scores[f"acc_{level},none"] for level in ("stated", "implied")]
        assert scores["acc,none"] == pytest.approx(sum(levels) / 2)
        assert report["versions"][name] == 1.0
        assert report["n-samples"][name] == {"original": 8, "effective": 8}
    assert report["results"]["personamem_4k"]["unparsable,none"] == 1.0
    call("report", tmp_path / "out", "--json", tmp_path / "report.json")
    said = (tmp_path / "report.json").read_text("utf-8")
    assert '"system": "bm25 at 2000"' in said
    assert '"found and not used"' in said


def test_a_group_weighs_its_tasks_by_size(tiny: Any, tasks_folder: Path, tmp_path: Path) -> None:
    for size in ("32k", "128k", "1M"):
        tiny.write_ours(tmp_path / "data", size)
    run_evaluation(
        *("--model", "dummy", "--tasks", "personamem", "--include_path", tasks_folder),
        *("--metadata", json.dumps({"dataset": str(tmp_path / "data")})),
        *("--output_path", tmp_path / "out", "--limit", "5"),
        log=tmp_path / "log.txt",
    )
    group = read_results(tmp_path / "out")["groups"]["personamem"]
    assert group["unparsable,none"] == 1.0
    assert group["acc,none"] == 0.0


@pytest.fixture(scope="module")
def evaluate(tasks_folder: Path, ours: Path) -> Any:
    import lm_eval
    from lm_eval.tasks import TaskManager

    def run(model: Any, task: str, **kwargs: Any) -> dict[str, Any]:
        manager = TaskManager(
            include_path=str(tasks_folder),
            include_defaults=False,
            metadata={"dataset": str(ours)},
        )
        options = {"bootstrap_iters": 0, "log_samples": True, **kwargs}
        return lm_eval.simple_evaluate(model, tasks=[task], task_manager=manager, **options)

    return run


@pytest.mark.parametrize("task", ["personamem_4k", "personamem_4k_ll"])
def test_predictions_can_be_made_without_scores(evaluate: Any, task: str) -> None:
    report = evaluate("dummy", task, predict_only=True)
    assert [key for key in report["results"][task] if key.startswith("acc")] == []
    assert len(report["samples"][task]) == 8


def make_model(folder: Path, **kwargs: Any) -> Any:
    from lm_eval.models.huggingface import HFLM

    return HFLM(pretrained=str(folder), device="cpu", dtype="float32", **kwargs)


@pytest.mark.parametrize("chat", [True, False])
def test_one_forward_pass_serves_the_four_letters(
    evaluate: Any, tiny_model: Path, chat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model(tiny_model)
    calls: list[int] = []
    forward = model._model_call

    def count(inputs: Any, **kwargs: Any) -> Any:
        calls.append(len(inputs))
        return forward(inputs, **kwargs)

    monkeypatch.setattr(model, "_model_call", count)
    report = evaluate(model, "personamem_4k_ll", apply_chat_template=chat)
    assert len(calls) == 8
    assert 0 <= report["results"]["personamem_4k_ll"]["acc,none"] <= 1


def test_a_transformers_model_generates_from_the_real_messages(
    evaluate: Any, tiny_model: Path
) -> None:
    model = make_model(tiny_model)
    report = evaluate(
        model, "personamem_4k", apply_chat_template=True, gen_kwargs={"max_gen_toks": 4}, limit=3
    )
    for sample in report["samples"]["personamem_4k"]:
        prompt = sample["arguments"][0][0]
        assert prompt.startswith("<|im_start|>system\nPersona")
        assert prompt.endswith("<|im_end|>\n<|im_start|>assistant\n")
        turns = sample["doc"]["end_index_in_shared_context"] + 1
        assert prompt.count("<|im_start|>") == turns + 1
        assert sample["arguments"][0][1]["until"] == []


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("task", ["personamem_4k", "personamem_4k_ll"])
def test_a_prompt_longer_than_the_window_is_an_error_before_the_model_runs(
    evaluate: Any, tiny_model: Path, task: str, chat: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model(tiny_model, max_length=300)

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the model was run")

    monkeypatch.setattr(model, "_model_call", refuse)
    monkeypatch.setattr(model, "_model_generate", refuse)
    kwargs = {"gen_kwargs": {"max_gen_toks": 50}} if task == "personamem_4k" else {}
    with pytest.raises(InvalidInputError, match=r"prompt has \d+ tokens.*window 300"):
        evaluate(model, task, apply_chat_template=chat, **kwargs)


def test_a_window_that_just_fits_is_accepted_and_one_token_less_is_not(
    evaluate: Any, tiny_model: Path
) -> None:
    with pytest.raises(InvalidInputError) as raised:
        evaluate(make_model(tiny_model, max_length=100), "personamem_4k_nocontext_ll")
    assert "the prompt has" in str(raised.value)
    wide = evaluate(make_model(tiny_model), "personamem_4k_ll", apply_chat_template=True)
    model = make_model(tiny_model)
    longest = max(
        len(model.tok_encode(sample["arguments"][0][0]))
        for sample in wide["samples"]["personamem_4k_ll"]
    )
    fits = make_model(tiny_model, max_length=longest)
    narrow = evaluate(fits, "personamem_4k_ll", apply_chat_template=True)
    key = "personamem_4k_ll"
    assert narrow["results"][key]["acc,none"] == wide["results"][key]["acc,none"]
    with pytest.raises(InvalidInputError, match=f"{longest:,} tokens.*window {longest - 1:,}"):
        evaluate(make_model(tiny_model, max_length=longest - 1), key, apply_chat_template=True)
