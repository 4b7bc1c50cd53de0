"""A real model, cut to two layers, asked the same questions by lm-eval and by inspect-ai."""

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

QUESTIONS, TOKENS = 2, 6


@pytest.mark.model
def test_prompts_and_replies_are_those_of_lm_eval(
    short_model_dir: Path, tiny_dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import anyio
    import lm_eval
    from inspect_ai import eval
    from inspect_ai.model._providers import hf
    from lm_eval.tasks import TaskManager

    from personamem.tasks.personamem.inspect_tasks import TASKS
    from personamem.tasks.registry import TASKS_FOLDER

    hashes = []
    render = hf.HuggingFaceAPI.hf_chat

    def record(api: Any, messages: Any, tools: Any) -> str:
        text = render(api, messages, tools)
        hashes.append(hashlib.sha256(text.encode()).hexdigest())
        return text

    monkeypatch.setattr(hf.HuggingFaceAPI, "hf_chat", record)
    # It looks for a reply once a second.
    monkeypatch.setattr(hf, "anyio", SimpleNamespace(sleep=lambda _: anyio.sleep(0.01)))
    (log,) = eval(
        TASKS["personamem_4k"](dataset=str(tiny_dataset)),
        model="hf/short",
        model_args={"model_path": str(short_model_dir), "dtype": "float32", "device": "cpu"},
        **{"limit": QUESTIONS, "max_tokens": TOKENS, "max_connections": 1},
        **{"display": "none", "log_dir": str(tmp_path)},
    )
    assert log.status == "success", log.error
    assert log.samples is not None
    found = lm_eval.simple_evaluate(
        "hf",
        model_args={"pretrained": str(short_model_dir), "dtype": "float32", "device": "cpu"},
        tasks=["personamem_4k"],
        task_manager=TaskManager(
            include_path=str(TASKS_FOLDER),
            include_defaults=False,
            metadata={"dataset": str(tiny_dataset)},
        ),
        apply_chat_template=True,
        gen_kwargs={"max_gen_toks": TOKENS},
        **{"limit": QUESTIONS, "bootstrap_iters": 0, "batch_size": 1},
    )
    theirs = {each["doc"]["question_id"]: each for each in found["samples"]["personamem_4k"]}
    assert {sample.id for sample in log.samples} == theirs.keys()
    for sample in log.samples:
        assert theirs[sample.id]["prompt_hash"] in hashes
        assert sample.output.completion == theirs[sample.id]["resps"][0][0]
        assert sample.scores is not None
        assert sample.scores["score_reply"].value == theirs[sample.id]["acc"]


@pytest.mark.model
def test_a_prompt_longer_than_the_window_is_an_error_that_names_both(
    short_model_dir: Path, tiny_dataset: Path, tmp_path: Path
) -> None:
    from inspect_ai import eval

    from personamem.tasks.personamem.inspect_tasks import TASKS

    (log,) = eval(
        TASKS["personamem_4k"](dataset=str(tiny_dataset)),
        model="hf/short",
        model_args={"model_path": str(short_model_dir), "dtype": "float32", "device": "cpu"},
        **{"limit": 1, "max_tokens": 8_000, "max_connections": 1},
        **{"display": "none", "log_dir": str(tmp_path)},
    )
    assert log.status == "error"
    assert log.error is not None
    assert "the model's window 8,192" in log.error.message
