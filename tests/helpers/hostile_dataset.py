"""A dataset that loads, but whose every text tries to take over the terminal that shows it."""

import json
from pathlib import Path
from typing import Any

from tiny_dataset import change_rows, write_ours

HOSTILE = "[/x]\x1b]0;pwned\x07[bold]\x9b2J\u202e\r\\"
"""What rich takes for markup, ESC, BEL, an 8-bit CSI, a bidi override, CR, a final backslash."""

SHOWN = "[/x]\\x1b]0;pwned\\x07[bold]\\x9b2J\\u202e\\x0d\\"
"""How a console shows it."""


def write_hostile(folder: Path) -> Path:
    """Write our layout with ``HOSTILE`` before every text; return the folder."""
    write_ours(folder)
    change_rows(folder, "benchmark", lambda rows: [_spoil_question(row) for row in rows])
    change_rows(folder, "contexts", lambda rows: [_spoil_context(row) for row in rows])
    change_rows(folder, "annotations", lambda rows: [_spoil_annotation(row) for row in rows])
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest.update(name=HOSTILE, tokenizer=HOSTILE, config={HOSTILE: HOSTILE})
    manifest["writer"]["name"] = HOSTILE
    path.write_text(json.dumps(manifest))
    return folder


def _spoil_question(row: dict[str, Any]) -> None:
    for name in ("question_id", "question_type", "topic", "user_question_or_message"):
        row[name] = HOSTILE + row[name]
    row["shared_context_id"] = HOSTILE + row["shared_context_id"]
    row["options"] = [HOSTILE + option for option in row["options"]]
    row["all_options"] = json.dumps(
        [f"({letter}) {text}" for letter, text in zip("abcd", row["options"], strict=True)]
    )


def _spoil_context(row: dict[str, Any]) -> None:
    row["shared_context_id"] = HOSTILE + row["shared_context_id"]
    row["session_topics"] = row["session_dates"] = [HOSTILE, HOSTILE]
    for message in row["messages"]:
        message["content"] = HOSTILE + message["content"]


def _spoil_annotation(row: dict[str, Any]) -> None:
    row["question_id"] = HOSTILE + row["question_id"]
    row["option_roles"] = row["option_keys"] = [HOSTILE] * 4
    for name in ("quad_id", "thread_id", "asked_on", "pair_id"):
        row[name] = HOSTILE
    row["pair_position"] = "before"
