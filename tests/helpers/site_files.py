"""Reads the data of a site, and writes samples of runs for it as lm-eval writes them."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from personamem.loaders.formats.schema import LETTERS, Question


def read_data(site: Path, name: str) -> Any:
    """Return what ``data/<name>.js`` hands to the page."""
    script = (site / "data" / f"{name}.js").read_text("utf-8")
    head = f'receiveData("{name}",'
    assert script.startswith(head)
    assert script.endswith(");\n")
    return json.loads(script[len(head) : -3])


def write_samples(
    folder: Path,
    questions: Iterable[Question],
    choose: Callable[[Question], int | None],
    note: Mapping[str, Any] | None = None,
) -> Path:
    """Write one answer a question, the option that ``choose`` returns; return the file.

    ``note`` says what a memory did for all of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "samples_personamem_4k_2026-01-01T00-00-00.jsonl"
    lines = []
    for question in questions:
        chosen = choose(question)
        text = "I cannot say." if chosen is None else f"I would say ({LETTERS[chosen]})."
        row = {
            "doc": {"question_id": question.question_id},
            "arguments": {"gen_args_0": {"arg_0": {"split": "4k", "condition": "full"}}},
            "resps": [[text]],
            "acc": float(chosen == question.answer_index),
            **({"evidence_recall": note} if note else {}),
        }
        lines.append(json.dumps(row))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
