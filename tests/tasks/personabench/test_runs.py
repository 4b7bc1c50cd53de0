"""lm-eval itself on open questions: the dummy model, windows, shared documents, a real model."""

import json
from pathlib import Path
from typing import Any

import pytest
from evaluation_process import run_evaluation
from tiny_communities import ADA

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personabench.results.reading import read_results
from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system

SUFFIXES = ("", "_oracle", "_rag", "_nocontext", "_memory")


def test_the_dummy_model_runs_every_condition(
    communities: Path, tasks_folder: Path, tmp_path: Path
) -> None:
    names = [f"personabench_noise_{level}{s}" for level in ("0", "05") for s in SUFFIXES]
    metadata = {"dataset": str(communities), "retriever": "bm25", "k": 2}
    metadata |= {"memory": "full", "budget": 60}
    log = run_evaluation(
        *("--model", "dummy", "--tasks", ",".join(names), "--include_path", tasks_folder),
        *("--metadata", json.dumps(metadata), "--output_path", tmp_path / "out"),
        log=tmp_path / "log.txt",
    )
    assert "WARNING" not in log
    (path,) = (tmp_path / "out").rglob("results_*.json")
    scores = json.loads(path.read_text("utf-8"))["results"]
    assert set(scores) == set(names)
    for name in names:
        # The dummy model says "lol": a short line, which is an item, and the wrong one.
        assert scores[name]["recall,none"] == scores[name]["unparsable,none"] == 0.0
        assert isinstance(scores[name]["f1_stderr,none"], float)
        assert scores[name]["updating,none"] == 1.0
        recall = scores[name].get("evidence_recall,none")
        assert (recall is not None and 0 < recall < 1) == name.endswith("_memory")
    systems = read_results(read_evaluations([tmp_path / "out"]))[0].systems
    assert {(each.condition, each.retrieval): list(runs) for each, runs in systems.items()} == {
        ("full", ""): [0.0, 0.5],
        ("oracle", ""): [0.0, 0.5],
        ("rag", "bm25, k = 2"): [0.0, 0.5],
        ("nocontext", ""): [0.0, 0.5],
        ("memory", "full at 60"): [0.0, 0.5],
    }


@pytest.fixture(scope="module")
def evaluate(tasks_folder: Path, communities: Path) -> Any:
    import lm_eval
    from lm_eval.tasks import TaskManager

    def run(model: Any, task: str, **kwargs: Any) -> dict[str, Any]:
        manager = TaskManager(
            include_path=str(tasks_folder),
            include_defaults=False,
            metadata={"dataset": str(communities)},
        )
        options = {"bootstrap_iters": 0, "log_samples": True, **kwargs}
        return lm_eval.simple_evaluate(model, tasks=[task], task_manager=manager, **options)

    return run


def test_predictions_can_be_made_without_scores(evaluate: Any) -> None:
    report = evaluate("dummy", "personabench_noise_05", predict_only=True)
    assert "recall,none" not in report["results"]["personabench_noise_05"]
    assert len(report["samples"]["personabench_noise_05"]) == 8


def test_documents_longer_than_the_window_are_an_error_before_the_model_runs(
    evaluate: Any, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lm_eval.models.huggingface import HFLM

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("the model was run")

    monkeypatch.setattr(HFLM, "_model_generate", refuse)
    model = HFLM(pretrained=str(tiny_model), device="cpu", dtype="float32", max_length=600)
    with pytest.raises(
        InvalidInputError,
        match=r"personabench_noise_05, .*question q\d: the prompt has [\d,]+ tokens and a reply of "
        r"up to 256, the model's window 600",
    ):
        evaluate(model, "personabench_noise_05", apply_chat_template=True)


@pytest.mark.parametrize("kind", ["", "_oracle"])
def test_a_persons_documents_are_read_once_and_samples_name_them(
    evaluate: Any, tiny_model: Path, kind: str
) -> None:
    from lm_eval.models.huggingface import HFLM

    from personamem.tasks.models.hf_shared import SharedHFLM
    from personamem.tasks.models.wrapping import PromptsOnDemand

    class OnDemand(PromptsOnDemand, SharedHFLM):  # type: ignore[misc]
        pass

    task = f"personabench_noise_05{kind}"
    settings = {"apply_chat_template": True, "gen_kwargs": {"max_gen_toks": 3}}
    options = {"pretrained": str(tiny_model), "device": "cpu", "dtype": "float32"}
    model = OnDemand(**options)
    samples = evaluate(model, task, **settings)["samples"][task]
    plain = evaluate(HFLM(**options), task, **settings)["samples"][task]
    assert [each["resps"] for each in samples] == [each["resps"] for each in plain]
    prompt = samples[0]["arguments"][0][0]
    assert (prompt["condition"], prompt["split"]) == (kind[1:] or "full", "noise_05")
    assert prompt["shared_context_id"] == f"community_0/{ADA}"
    assert prompt.get("sessions") == (["ada-000"] if kind else None)
    # Seven of the eight questions are about the documents of one person.
    assert model.stats.naive > (1 if kind else 3) * model.stats.computed


@pytest.mark.model
def test_a_real_model_is_scored(
    communities: Path, tasks_folder: Path, short_model_dir: Path, tmp_path: Path
) -> None:
    run_evaluation(
        *("--model", "hf", "--model_args", f"pretrained={short_model_dir},dtype=float32"),
        *(
            "--apply_chat_template",
            "--tasks",
            "personabench_noise_05_oracle",
            "--include_path",
            tasks_folder,
        ),
        *("--metadata", json.dumps({"dataset": str(communities)}), "--output_path", tmp_path),
        *("--limit", "2", "--gen_kwargs", "max_gen_toks=12", "--device", "cpu"),
        log=tmp_path / "log.txt",
    )
    ((runs),) = read_results(read_evaluations([tmp_path]))[0].systems.values()
    run = runs[0.5]
    assert (run.questions, run.of) == (2, 8)
    assert 0 <= run.words.group("overall").recall <= 1
    assert 0 <= run.words.group("overall").f1 <= 1
