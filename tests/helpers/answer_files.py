"""Writes results on multiple choice as lm-eval writes them, with the answers beside."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROLES = ("current", "former", "somebody_else", "declined")
TASK = "personamem_32k"


def make_row(number: int, letter: str | None, **dials: Any) -> dict[str, Any]:
    """Return the answer to question ``number``: the gold is (a), of four personas a quad."""
    return {
        "doc": {
            "question_id": f"q{number}",
            "persona_id": number % 4,
            "question_type": "recall" if number % 8 < 4 else "advise",
            "distance_to_ref_in_tokens": 1000 * number,
            "dials": {
                "quad_id": f"quad{number // 4}",
                "level": "named" if number % 8 < 4 else "implied",
                "updates": number // 4 % 3,
                "sessions_per_answer": 1,
                "distractors": 0,
                "option_roles": list(ROLES),
                **dials,
            },
        },
        "resps": [[f"({letter})" if letter else "I cannot say"]],
        "acc": float(letter == "a"),
    }


def make_note(
    system: str,
    recall: float | None,
    written: float | None,
    failure: str = "",
    context: str = "context-0",
) -> dict[str, Any]:
    """Return what an answer says of the memory that served it."""
    usage = {"calls": 2, "prompt_tokens": 300, "completion_tokens": 40, "embedded": 5}
    nothing = dict.fromkeys(usage, 0)
    return {
        "system": system,
        "budget": 500,
        "recall": recall,
        "written": written,
        "tokens": 400,
        "seconds": 0.01,
        "failure": failure,
        "context_id": context,
        "context": {
            "sessions": 9,
            "tokens": 4_000,
            "seconds": 1.5,
            "add": usage,
            "search": nothing,
        },
    }


def write_run(
    folder: Path, rows: Iterable[dict[str, Any]], model: str = "models/tiny", date: float = 1.0
) -> Path:
    """Write results and answers; return the file of results."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = f"{Path(model).name}-{date}"
    content = {
        "results": {TASK: {"acc,none": 0.5, "unparsable,none": 0.0}},
        "configs": {TASK: {"dataset_path": "data/talks"}},
        "model_name": model,
        "date": date,
    }
    lines = [json.dumps(row) for row in rows]
    (folder / f"samples_{TASK}_{stamp}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    path = folder / f"results_{stamp}.json"
    path.write_text(json.dumps(content), "utf-8")
    return path
