"""Runs an lm-eval model on questions and continuations and writes what it says as JSON.

    python tests/helpers/model_figures.py MODEL MODEL_FOLDER DATASET OUT.json

A process of its own: vLLM starts workers that import the main module again, and the libraries print
warnings that the tests would take for errors.
"""

import json
import sys
from pathlib import Path
from typing import Any

QUESTIONS = 16
REPLY_TOKENS = 8
OPTIONS: dict[str, dict[str, Any]] = {
    # A cache that holds one prompt and little more: 50 blocks of 128 tokens.
    "vllm-shared": {
        "enforce_eager": True,
        "disable_log_stats": False,
        "max_model_len": 6144,
        "num_gpu_blocks_override": 50,
    },
    "hf-shared": {"device": "cpu"},
    "hf": {"device": "cpu", "batch_size": 1},
}
STORY = "Mira keeps bees on the roof of the library and sells the honey in spring. " * 40
CONTINUATIONS = [
    (f"{STORY}She also", " keeps a small garden."),
    (f"{STORY}She also", " keeps bees."),
    (f"{STORY}On Sundays ", "she rests"),
    ("One", " two three four five six seven"),
    ("", "Once upon a time"),
    (f"{STORY}She also", " keeps a small garden."),
]


def main(name: str, folder: str, dataset: str, out: str) -> None:
    import lm_eval.models  # noqa: F401  (registers those of lm-eval)
    from lm_eval.api.registry import get_model

    from personamem.tasks.models import register_models

    register_models()
    model = get_model(name)(pretrained=folder, dtype="float32", **OPTIONS[name])
    figures: dict[str, Any] = {"letters": answer(model, dataset, "personamem_4k_ll")}
    if name == "vllm-shared":
        figures["cache"] = count_tokens(model)
    options = {"gen_kwargs": {"max_gen_toks": REPLY_TOKENS}}
    figures["replies"] = answer(model, dataset, "personamem_4k", **options)
    figures["continuations"] = score(model)
    Path(out).write_text(json.dumps(figures), encoding="utf-8")


def answer(model: Any, dataset: str, task: str, **options: Any) -> list[Any]:
    """What the model answers to each question, in the order of the documents."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    from personamem.tasks.registry import TASKS_FOLDER

    manager = TaskManager(
        include_path=TASKS_FOLDER, include_defaults=False, metadata={"dataset": dataset}
    )
    report = lm_eval.simple_evaluate(
        model,
        tasks=[task],
        task_manager=manager,
        limit=QUESTIONS,
        bootstrap_iters=0,
        apply_chat_template=True,
        **options,
    )
    samples = sorted(report["samples"][task], key=lambda sample: int(sample["doc_id"]))
    return [[response[0] for response in sample["resps"]] for sample in samples]


def score(model: Any) -> list[Any]:
    """The log-likelihoods of the continuations, and whether they are greedy."""
    from lm_eval.api.instance import Instance

    requests = [
        Instance("loglikelihood", {}, pair, index, metadata=("continuations", index, 1))
        for index, pair in enumerate(CONTINUATIONS)
    ]
    scored: list[Any] = model.loglikelihood(requests)
    return scored


def count_tokens(model: Any) -> dict[str, Any]:
    """Tokens of prompts: by the model's own count, and by vLLM's counters."""
    use = model.prefix_use
    metrics = model.model.get_metrics()
    counters = {metric.name: getattr(metric, "value", None) for metric in metrics}
    return {
        "prompts": use.prompts,
        "shared": use.shared,
        "cached": use.cached,
        "queries": counters["vllm:prefix_cache_queries"],
        "hits": counters["vllm:prefix_cache_hits"],
    }


if __name__ == "__main__":
    main(*sys.argv[1:])
