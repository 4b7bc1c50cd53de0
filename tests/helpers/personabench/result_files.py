"""Writes files of results in the forms of lm-eval and of ``personamem retrieve``."""

import json
import math
from pathlib import Path
from typing import Any

GROUPS = (
    *("basic", "preference_easy", "preference_hard"),
    *("social", "social_relation", "social_two_hop"),
)


def write_run(
    folder: Path,
    *,
    noise: str,
    model: str = "models/tiny",
    condition: str = "full",
    score: float = 0.5,
    date: float = 1.0,
    missing: tuple[str, ...] = (),
    **metadata: Any,
) -> Path:
    """Write one task's results, in which every score is ``score`` but F1, which is 0.1 less."""
    name = f"personabench_{noise}" + (f"_{condition}" if condition != "full" else "")
    scores: dict[str, float] = {"unparsable": 0.25, "updating": score, "item_updating": score}
    for kind in ("", "item_"):
        for suffix in ("", *(f"_{group}" for group in GROUPS)):
            value = math.nan if suffix[1:] in missing else score
            scores |= {f"{kind}recall{suffix}": value, f"{kind}precision{suffix}": value}
            scores[f"{kind}f1{suffix}"] = value - 0.1
    config = {
        "task": name,
        "dataset_path": "data/talks",
        "test_split": noise,
        "dataset_kwargs": {"condition": condition},
        "metadata": {"version": 1.0, **metadata},
    }
    content = {
        "results": {name: {"alias": name, **{f"{key},none": scores[key] for key in scores}}},
        "configs": {name: config},
        "n-samples": {name: {"original": 8, "effective": 8}},
        "model_source": "hf",
        "model_name": model,
        "date": date,
    }
    return write_json(folder / f"results_{name}_{Path(model).name}_{date}.json", content)


def write_other_task(folder: Path) -> Path:
    """Write results of a task that is not ours."""
    content = {"results": {"hellaswag": {"acc,none": 0.3}}, "configs": {"hellaswag": {}}}
    return write_json(folder / "results_other.json", content)


def write_retrieval(folder: Path) -> Path:
    """Write what ``personamem retrieve --json`` writes."""
    levels = {
        noise: {"overall": {"questions": 9, "recall": recall, "ndcg": recall / 2}}
        for noise, recall in (("0.0", 0.8), ("0.5", 0.4))
    }
    content = {"source": "x", "retriever": "bm25", "k": 5, "chunks": "json", "noise": levels}
    return write_json(folder / "retrieval.json", content)


def write_json(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path
