"""Writing open questions: Parquet per noise level, the communities as JSON, and their counts."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.community.rows import OpenTables, name_category
from personamem.dataset_builder.open_schema import (
    DOCUMENTS_SCHEMA,
    NOISE_SPLITS,
    OPEN_QUESTIONS_SCHEMA,
)

COMMUNITIES = "communities.json"


def write_communities(folder: Path, tables: OpenTables) -> dict[str, int]:
    """Write all files of the open questions; return the rows of each table by file name."""
    text = json.dumps(list(tables.communities), indent=1, ensure_ascii=False) + "\n"
    (folder / COMMUNITIES).write_text(text, encoding="utf-8")
    counts = {}
    for name, rows_by_split, table_schema in (
        ("documents", tables.documents, DOCUMENTS_SCHEMA),
        ("open_questions", tables.questions, OPEN_QUESTIONS_SCHEMA),
    ):
        (folder / name).mkdir()
        for split, rows in rows_by_split.items():
            file = f"{name}/{split}.parquet"
            table = pa.Table.from_pylist(list(rows), schema=table_schema)
            pq.write_table(table, folder / file, compression="zstd", write_page_index=True)
            counts[file] = len(rows)
    return counts


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
