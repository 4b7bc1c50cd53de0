"""Writes a dataset of ours with open questions alone: one community, two noise levels.

Three people, the first two with documents, and every type of question; one over two hops.
"""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tiny_manifest import write_tiny_manifest

from personamem.loaders.personabench.schema import DOCUMENTS_SCHEMA, OPEN_QUESTIONS_SCHEMA

Row = dict[str, Any]

SPLITS = {"noise_0": 0, "noise_05": 6}
"""Noise sessions of each person by split; Ada has six that reveal something, Ben three."""

ADA, BEN, CLEO = "Ada Winter", "Ben Oduya", "Cleo Marsh"

TALK = {
    ADA: [
        ("I start at the glassworks at six, every day but Sunday.", BEN),
        ("Otis, my cat, has turned thirty-nine, as I have. In cat years.", BEN),
        ("Teal, rust and lilac: I could paint every wall in them.", CLEO),
        ("Tea was my drink once. Cocoa, cider, mead, kvass, cola: that is me now.", CLEO),
        ("You are the best sister one can have, Cleo.", CLEO),
    ],
    BEN: [("Ada over the fence is the neighbour one wants.", ADA), ("I bake on Fridays.", ADA)],
}
BOUGHT = {ADA: "Cello strings for Cleo", BEN: "Rye flour"}

QUESTIONS: list[tuple[str, str, str, Any, str, str, str, int, list[str], dict[str, list[int]]]] = [
    ("q0", ADA, "Where do I work?", "the glassworks", "Basic information", "easy",
     "Demographics.Employment.Company.company_name", 1, [], {"the glassworks": [0]}),
    ("q1", ADA, "How old am I?", 39, "Basic information", "easy",
     "Demographics.Age.age", 1, [], {"39": [1]}),
    ("q2", ADA, "Which pets do I have?", [{"cat": "Otis"}], "Basic information", "easy",
     "Demographics.Possession.Animal.pet", 1, [], {"Otis": [1, 0]}),
    ("q3", ADA, "Which colors do I like?", ["teal", "rust", "lilac"], "Preference", "easy",
     "Psychographics.Preference.Color.color", 1, [], {"teal": [2], "rust": [2], "lilac": [2]}),
    ("q4", ADA, "What do I drink?", ["cocoa", "cider", "mead", "kvass", "cola"], "Preference",
     "hard", "Psychographics.Preference.Drink.drink", 1, ["tea"],
     {name: [3] for name in ("cocoa", "cider", "mead", "kvass", "cola")}),
    ("q5", ADA, "Who is Cleo Marsh to me?", "sister", "Social", "easy",
     "Social_relationship.sister", 1, [], {"sister": [4]}),
    ("q6", ADA, "What does my sister play?", "the cello", "Social", "hard",
     "Psychographics.Hobby.Hobby", 2, [], {"sister": [4], "the cello": [5]}),
    ("q7", BEN, "What do I do as a hobby?", "baking", "Basic information", "easy",
     "Psychographics.Hobby.Hobby", 1, [], {"baking": [1]}),
]  # fmt: skip


def write_communities(folder: Path) -> Path:
    """Write the dataset and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    community = {
        "name": "community_0",
        "people": [{"name": name, "persona": f"{name} is kind."} for name in (ADA, BEN, CLEO)],
        "relations": [
            {"source": source, "target": target, "relationship": role, "description": "Kin."}
            for source, target, role in ((CLEO, ADA, "sister"), (ADA, CLEO, "sister"))
        ],
    }
    (folder / "communities.json").write_text(json.dumps([community]), encoding="utf-8")
    for split, noise in SPLITS.items():
        _write(folder / f"documents/{split}.parquet", _make_documents(noise), DOCUMENTS_SCHEMA)
        questions = [_make_question(*question) for question in QUESTIONS]
        _write(folder / f"open_questions/{split}.parquet", questions, OPEN_QUESTIONS_SCHEMA)
    write_manifest(folder)
    return folder


def edit_rows(path: Path, change: Callable[[list[Row]], object]) -> None:
    """Change the rows of a Parquet file in place, and the manifest with it."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    change(rows)
    _write(path, rows, table.schema)
    write_manifest(path.parents[1])


def write_manifest(folder: Path) -> None:
    """Write the manifest that fits the files as they are now."""
    write_tiny_manifest(folder, "personabench", SPLITS)


def session_id(person: str, index: int) -> str:
    return f"{person.split()[0].lower()}-{index:03d}"


def _make_documents(noise: int) -> list[Row]:
    return [row for person in TALK for row in _make_archive(person, noise)]


def _make_archive(person: str, noise: int) -> list[Row]:
    said = [*TALK[person], *((f"It rained on day {number}.", CLEO) for number in range(noise))]
    partners = sorted({partner for _, partner in said})
    talks = [
        _make_session(person, index if index < len(TALK[person]) else index + 1, "conversation")
        | {
            "partner": partner,
            "messages": [
                {"role": person, "content": text},
                {"role": partner, "content": "So I have heard."},
            ],
        }
        for index, (text, partner) in enumerate(said)
    ]
    talks.sort(key=lambda row: (partners.index(row["partner"]), row["time"]))
    bought = _make_session(person, len(TALK[person]), "purchase_history") | {
        "purchases": [
            {"title": BOUGHT[person], "description": "Good.", "brand": "Orm", "categories": ["x"]}
        ]
    }
    return [*talks, bought]


def _make_session(person: str, index: int, kind: str) -> Row:
    return {
        "community": "community_0",
        "person": person,
        "session_id": session_id(person, index),
        "kind": kind,
        "time": datetime(2024, 10, 14, 19, 5) + timedelta(days=index),
        "partner": None,
        "messages": [],
        "purchases": [],
    }


def _make_question(
    identifier: str,
    person: str,
    text: str,
    answer: Any,
    kind: str,
    difficulty: str,
    attribute: str,
    hops: int,
    outdated: list[str],
    gold: dict[str, list[int]],
) -> Row:
    return {
        "question_id": identifier,
        "community": "community_0",
        "person": person,
        "question": text,
        "answer": json.dumps(answer),
        "question_type": kind,
        "difficulty": difficulty,
        "attribute": attribute,
        "hops": hops,
        "outdated_values": json.dumps(outdated),
        "gold": [
            {"value": value, "session_ids": [session_id(person, index) for index in indices]}
            for value, indices in gold.items()
        ],
    }


def _write(path: Path, rows: list[Row], schema: pa.Schema) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema), path)
