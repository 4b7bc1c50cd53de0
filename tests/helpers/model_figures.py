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
OPTIONS = {
    "vllm-shared": {"enforce_eager": True, "disable_log_stats": False},
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
    from lm_eval.api.registry import get_model

    from personamem.models import register_models

    register_models()
    model = get_model(name)(pretrained=folder, dtype="float32", **OPTIONS[name])
    figures: dict[str, Any] = {
        "letters": answer(model, dataset, "personamem_4k_ll"),
        "replies": answer(
            model, dataset, "personamem_4k", gen_kwargs={"max_gen_toks": REPLY_TOKENS}
        ),
    }
    if name == "vllm-shared":
        use = model.prefix_use
        figures["tokens"] = {"all": use.prompts, "shared": use.shared, "cached": use.cached}
        figures["counters"] = {
            metric.name: metric.value
            for metric in model.model.get_metrics()
            if metric.name.startswith("vllm:prefix_cache")
        }
    figures["continuations"] = score(model)
    Path(out).write_text(json.dumps(figures), encoding="utf-8")


def answer(model: Any, dataset: str, task: str, **options: Any) -> list[Any]:
    """What the model answers to each question, in the order of the documents."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    installed = (Path(lm_eval.__file__).parent / "tasks" / "personamem").is_dir()
    here = None if installed else str(Path(__file__).parents[2] / "tasks")
    report = lm_eval.simple_evaluate(
        model,
        tasks=[task],
        task_manager=TaskManager(include_path=here, metadata={"dataset": dataset}),
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


if __name__ == "__main__":
    main(*sys.argv[1:])
