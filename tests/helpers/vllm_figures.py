"""Runs ``vllm-shared`` and its peer on the same questions and writes what both say as JSON.

    python tests/helpers/vllm_figures.py MODEL_FOLDER DATASET OUT.json

A process of its own: vLLM starts workers that import the main module again, and its libraries
print warnings that the tests would take for errors.
"""

import json
import sys
from pathlib import Path
from typing import Any

QUESTIONS = 16
REPLY_TOKENS = 8


def main(model_folder: str, dataset: str, out: str) -> None:
    import lm_eval
    from lm_eval.api.instance import Instance
    from lm_eval.api.registry import get_model, model_registry
    from lm_eval.tasks import TaskManager

    from personamem.models import register_models

    register_models()
    folder = Path(__file__).parents[2] / "tasks"
    installed = (Path(lm_eval.__file__).parent / "tasks" / "personamem").is_dir()
    manager = TaskManager(
        include_path=None if installed else str(folder), metadata={"dataset": dataset}
    )

    def evaluate(model: Any, task: str, **options: Any) -> list[Any]:
        report = lm_eval.simple_evaluate(
            model,
            tasks=[task],
            task_manager=manager,
            limit=QUESTIONS,
            bootstrap_iters=0,
            apply_chat_template=True,
            **options,
        )
        samples = sorted(report["samples"][task], key=lambda sample: sample["doc_id"])
        return [sample["resps"] for sample in samples]

    def evaluate_both(model: Any) -> dict[str, Any]:
        return {
            "letters": evaluate(model, "personamem_4k_ll"),
            "replies": evaluate(model, "personamem_4k", gen_kwargs={"max_gen_toks": REPLY_TOKENS}),
        }

    def score(model: Any, pairs: list[tuple[str, str]]) -> list[Any]:
        requests = [
            Instance("loglikelihood", {}, pair, index, metadata=("pairs", index, 1))
            for index, pair in enumerate(pairs)
        ]
        return model.loglikelihood(requests)

    story = "Mira keeps bees on the roof of the library and sells the honey in spring. " * 40
    pairs = [
        (story + "She also", " keeps a small garden."),
        (story + "She also", " keeps bees."),
        (story + "She also", ""),
        ("One", " two three four five six seven"),
        ("", "Once upon a time"),
        (story + "On Sundays ", "she rests"),
        (story + "She also", " keeps a small garden."),
    ]
    del pairs[2]
    ours = get_model("vllm-shared")(
        pretrained=model_folder,
        dtype="float32",
        enforce_eager=True,
        disable_log_stats=False,
        max_model_len=8192,
    )
    figures = {"ours": evaluate_both(ours)}
    use = ours.prefix_use
    figures["tokens"] = {"prompts": use.prompts, "shared": use.shared, "cached": use.cached}
    figures["counters"] = {
        metric.name: metric.value
        for metric in ours.model.get_metrics()
        if metric.name in ("vllm:prefix_cache_queries", "vllm:prefix_cache_hits")
    }
    figures["ours"]["pairs"] = score(ours, pairs)
    del ours
    peer = "hf-shared" if "hf-shared" in model_registry else "hf"
    theirs = get_model(peer)(pretrained=model_folder, dtype="float32", device="cpu", batch_size=1)
    figures["peer"] = {"name": peer, **evaluate_both(theirs), "pairs": score(theirs, pairs)}
    Path(out).write_text(json.dumps(figures), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
