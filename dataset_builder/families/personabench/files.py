"""The files of open questions: Parquet per noise level, the communities as JSON, their counts."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.families.personabench.rows import OpenTables, name_category
from personamem.loaders.personabench.schema import (
    DOCUMENTS_SCHEMA,
    NOISE_SPLITS,
    OPEN_QUESTIONS_SCHEMA,
)

COMMUNITIES = "communities.json"


TABLES = {"documents": DOCUMENTS_SCHEMA, "open_questions": OPEN_QUESTIONS_SCHEMA}
"""The columns of each table; there is one of each for every noise level."""


def list_files() -> list[str]:
    """Return the names of all files of the open questions."""
    return [COMMUNITIES, *(f"{name}/{split}.parquet" for name in TABLES for split in NOISE_SPLITS)]


def encode_communities(tables: OpenTables) -> tuple[dict[str, bytes], dict[str, int]]:
    """Return all files of the open questions by name, and the rows of each that is a table."""
    text = json.dumps(list(tables.communities), indent=1, ensure_ascii=False) + "\n"
    files = {COMMUNITIES: text.encode()}
    counts = {}
    for name, rows_by_split in (
        ("documents", tables.documents),
        ("open_questions", tables.questions),
    ):
        for split, rows in rows_by_split.items():
            file = f"{name}/{split}.parquet"
            body = BytesIO()
            table = pa.Table.from_pylist(list(rows), schema=TABLES[name])
            pq.write_table(table, body, compression="zstd", write_page_index=True)
            files[file] = body.getvalue()
            counts[file] = len(rows)
    return files, counts


def write_communities(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of the open questions into the folder of a dataset."""
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(body)


def summarise_communities(tables: OpenTables) -> dict[str, Any]:
    """Return the counts of the manifest."""
    questions = next(iter(tables.questions.values()))
    return {
        "communities": len(tables.communities),
        "people": sum(len(community["people"]) for community in tables.communities),
        "relations": sum(len(community["relations"]) for community in tables.communities),
        "test_users": len({(row["community"], row["person"]) for row in questions}),
        "questions": len(questions),
        "question_types": _count([row["question_type"] for row in questions]),
        "categories": _count([name_category(row) for row in questions]),
        "attributes": len({row["attribute"] for row in questions}),
        "outdated": sum(row["outdated_values"] != "[]" for row in questions),
        "splits": {
            split: {
                "noise": NOISE_SPLITS[split],
                "sessions": len(rows),
                "kinds": _count([row["kind"] for row in rows]),
            }
            for split, rows in tables.documents.items()
        },
    }


def _count(values: Sequence[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
