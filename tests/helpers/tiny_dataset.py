"""Writes one tiny dataset in our layout and in the official one: real files, no mocks.

Two personas with one context each. Each context has two sessions, each opened by a system message,
and two user messages in a row, as the official release has.
"""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tiny_manifest import write_tiny_manifest

from personamem.loaders.formats.schema import (
    ANNOTATIONS_SCHEMA,
    BENCHMARK_SCHEMA,
    CONTEXTS_SCHEMA,
    LETTERS,
    OFFICIAL_COLUMNS,
    QUESTION_TYPES,
)

CONTEXT_IDS = ("c" * 63 + "0", "c" * 63 + "1", "c" * 63 + "2")


def make_messages(persona: int) -> list[dict[str, str]]:
    fruit = ("quinces", "medlars", "loquats")[persona]
    return [
        {"role": "system", "content": f"Persona {persona}: Ana Lindqvist, a luthier."},
        {
            "role": "user",
            "content": f'User: I had a bag of {fruit}; "lovely", I thought. \U0001f34f',
        },
        {"role": "assistant", "content": "Assistant: What did you make of them?"},
        {"role": "user", "content": "User: A tart,\nwith cardamom."},
        {"role": "user", "content": "User: And a jar of jam."},
        {"role": "assistant", "content": "Assistant: Both keep well."},
        {"role": "system", "content": f"Persona {persona}, a week later."},
        {"role": "user", "content": "User: Which bridge wood is driest?"},
        {"role": "assistant", "content": "Assistant: Maple that was cut in winter."},
        {"role": "user", "content": "User: Thanks."},
    ]


def make_question(number: int, context: int, end_index: int) -> dict[str, object]:
    letter = LETTERS[number % 4]
    options = [f"({name}) You had {name * 3}, a 'good' choice." for name in LETTERS]
    return {
        "persona_id": context,
        "question_id": f"q{number:02d}",
        "question_type": QUESTION_TYPES[number % len(QUESTION_TYPES)],
        "topic": "foodRecommendation",
        "context_length_in_tokens": 120,
        "context_length_in_letters": 600,
        "distance_to_ref_in_blocks": number,
        "distance_to_ref_in_tokens": 100 * number,
        "num_irrelevant_tokens": 10,
        "distance_to_ref_proportion_in_context": "92.67%",
        "user_question_or_message": f"What fruit did I tell you about, number {number}?",
        "correct_answer": f"({letter})",
        "all_options": json.dumps(options, ensure_ascii=False),
        "shared_context_id": CONTEXT_IDS[context],
        "end_index_in_shared_context": end_index,
        "options": [option[4:] for option in options],
        "answer_index": LETTERS.index(letter),
    }


def make_questions() -> list[dict[str, object]]:
    """Eight questions, not in context order."""
    places = [(2, 10), (0, 3), (1, 7), (0, 10), (1, 10), (2, 4), (0, 6), (1, 2)]
    return [make_question(i, context, end) for i, (context, end) in enumerate(places)]


def make_contexts() -> list[dict[str, object]]:
    rows = []
    for persona, identifier in enumerate(CONTEXT_IDS):
        messages = make_messages(persona)
        rows.append(
            {
                "shared_context_id": identifier,
                "persona_id": persona,
                "num_messages": len(messages),
                "num_tokens": 120,
                "num_letters": sum(len(message["content"]) for message in messages),
                "session_starts": [0, 6],
                "session_topics": ["foodRecommendation", ""],
                "session_dates": ["2024-05-01", "2024-05-08"],
                "messages": messages,
            }
        )
    return rows


def make_annotations() -> list[dict[str, object]]:
    return [
        {
            "question_id": question["question_id"],
            "quad_id": "quad",
            "pair_id": "",
            "pair_position": "",
            "thread_id": "thread",
            "asked_on": "2024-05-09",
            "option_roles": ["own", "friend", "relative", "considered"],
            "option_keys": ["v0", "v1", "v2", "v3"],
            "evidence_message_indices": [1],
            "related_message_indices": list(range(1, min(3, end))),
            "level": "implied" if number % 2 else "stated",
            "updates": 0,
            "sessions_per_answer": 1,
            "distractors": 0,
        }
        for number, question in enumerate(make_questions())
        for end in [int(str(question["end_index_in_shared_context"]))]
    ]


def write_ours(folder: Path, split: str = "4k") -> Path:
    """Write our layout; return the folder."""
    tables = {
        "benchmark": pa.Table.from_pylist(make_questions(), BENCHMARK_SCHEMA),
        "contexts": pa.Table.from_pylist(make_contexts(), CONTEXTS_SCHEMA),
        "annotations": pa.Table.from_pylist(make_annotations(), ANNOTATIONS_SCHEMA),
    }
    for kind, table in tables.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        pq.write_table(table, folder / kind / f"{split}.parquet", row_group_size=2)
    write_manifest(folder)
    return folder


def write_manifest(folder: Path) -> None:
    """Write the manifest that fits the Parquet files as they are now."""
    splits = {path.stem for path in folder.glob("*/*.parquet")}
    write_tiny_manifest(folder, "personamem", sorted(splits))


def write_official(folder: Path, split: str = "4k", older: bool = False) -> Path:
    """Write the official layout, in the present or the older column generation."""
    folder.mkdir(parents=True, exist_ok=True)
    columns = list(OFFICIAL_COLUMNS)
    questions = make_questions()
    if older:
        columns = [name for name in columns if name != "persona_id"]
        columns[columns.index("user_question_or_message")] = "question"
        columns.append("stereotypical")
        for question in questions:
            question["question"] = question["user_question_or_message"]
            question["stereotypical"] = "neutral"
    with (folder / f"questions_{split}.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(questions)
    with (folder / f"shared_contexts_{split}.jsonl").open("w", encoding="utf-8") as stream:
        for context in make_contexts():
            line = {str(context["shared_context_id"]): context["messages"]}
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    return folder


def change_rows(
    folder: Path, kind: str, change: Callable[[list[dict[str, Any]]], object], split: str = "4k"
) -> None:
    """Change the rows of a table of our layout, and the manifest with it."""
    path = folder / kind / f"{split}.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path, row_group_size=2)
    write_manifest(folder)


def rewrite_csv(folder: Path, change: Callable[[list[dict[str, str]]], None]) -> None:
    """Change the rows of questions_4k.csv of the official layout."""
    path = folder / "questions_4k.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    change(rows)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def set_cell(row: int, column: str, value: str) -> Callable[[list[dict[str, str]]], None]:
    """Return a change for ``rewrite_csv``; rows count from 0."""

    def change(rows: list[dict[str, str]]) -> None:
        rows[row][column] = value

    return change
