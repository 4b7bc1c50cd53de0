"""lm-eval itself on the second release, with the dummy model and a model of a few weights."""

import json
from pathlib import Path
from typing import Any

import pytest
from calling import call
from evaluation_process import run_evaluation

from personamem.tasks.personamem_v2.scoring import doc_to_text

pytestmark = pytest.mark.system

CONDITIONS = ("", "_nocontext", "_profile", "_oracle", "_rag", "_memory")


def test_the_dummy_model_runs_every_task(release: Path, tasks_folder: Path, tmp_path: Path) -> None:
    names = [
        f"personamem_v2_32k{name}{mode}" for name in CONDITIONS for mode in ("", "_ll", "_open")
    ]
    names.append("personamem_v2_128k")
    run_evaluation(
        *("--model", "dummy", "--tasks", ",".join(names), "--include_path", tasks_folder),
        *("--metadata", json.dumps({"dataset": str(release)}), "--output_path", tmp_path / "out"),
        "--log_samples",
        log=tmp_path / "log.txt",
    )
    (path,) = tmp_path.rglob("results_*.json")
    report = json.loads(path.read_text("utf-8"))
    assert set(report["results"]) == set(names)
    for name in names:
        scores = report["results"][name]
        assert report["n-samples"][name] == {"original": 16, "effective": 16}
        if name.endswith("_open"):
            assert {"empty,none", "leaked,none"} <= scores.keys()
        else:
            sizes = {"self": 10, "updated": 2, "forget": 2, "others": 2}
            parts = [scores[f"acc_{kind},none"] * size for kind, size in sizes.items()]
            assert scores["acc,none"] == pytest.approx(sum(parts) / 16)
            assert isinstance(scores["acc_stderr,none"], float)
            assert "acc_translation,none" in scores
    done = call("report", tmp_path / "out", "--json", tmp_path / "report.json")
    assert done.returncode == 0, done.stderr
    reported = json.loads((tmp_path / "report.json").read_text("utf-8"))
    (runs,) = reported.values()
    # Open replies need a judge: they are no multiple choice.
    assert {run["task"] for run in runs.values()} == {n for n in names if not n.endswith("_open")}


def test_a_model_reads_each_history_once(
    release: Path, tasks_folder: Path, tiny_model: Path
) -> None:
    import lm_eval
    from lm_eval.tasks import TaskManager

    from personamem.tasks.models.hf_shared import SharedHFLM

    model = SharedHFLM(pretrained=str(tiny_model), device="cpu", dtype="float32", max_length=8192)
    read: list[int] = []

    def count(module: Any, args: Any, given: Any) -> None:
        read.append((args[0] if args else given["input_ids"]).numel())

    model.model.register_forward_pre_hook(count, with_kwargs=True)
    manager = TaskManager(
        include_path=str(tasks_folder),
        include_defaults=False,
        metadata={"dataset": str(release)},
    )
    report: dict[str, Any] = lm_eval.simple_evaluate(
        model,
        tasks=["personamem_v2_32k_ll"],
        task_manager=manager,
        apply_chat_template=True,
        bootstrap_iters=0,
    )
    assert 0 <= report["results"]["personamem_v2_32k_ll"]["acc,none"] <= 1
    samples = report["samples"]["personamem_v2_32k_ll"]
    prompts = [model.tok_encode(sample["arguments"][0][0]) for sample in samples]
    longest = {sample["doc"]["persona_id"]: 0 for sample in samples}
    turns = 0
    for sample, prompt in zip(samples, prompts, strict=True):
        persona = sample["doc"]["persona_id"]
        longest[persona] = max(longest[persona], len(prompt))
        turns += len(model.tok_encode(doc_to_text(sample["doc"]))) + 20
    assert sum(read) < sum(longest.values()) + turns < sum(map(len, prompts)) / 2
