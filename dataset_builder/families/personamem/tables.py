"""Writing one split: Parquet for `datasets`, CSV and JSONL for readers of the official release.

Both forms come from the same rows in the same pass, so they cannot differ.
"""

import csv
import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.families.personamem.flat import is_flat, name_file
from personamem.loaders.formats import schema
from personamem.loaders.formats.records import make_table

ROWS_PER_GROUP = 2
"""Contexts a Parquet row group: one is read without the others, and stays under the Hub's limit."""


def list_files(split: str) -> list[str]:
    """Return the names of the files of one split, relative to the dataset's folder."""
    kinds = ("benchmark", "annotations", "contexts")
    tables = [f"{kind}/{split}.parquet" for kind in kinds]
    if is_flat(split):
        tables.append(name_file(split))
    return [*tables, f"questions_{split}.csv", f"shared_contexts_{split}.jsonl"]


class ContextsWriter:
    """Append contexts to ``contexts/<split>.parquet`` and ``shared_contexts_<split>.jsonl``."""

    def __init__(self, folder: Path, split: str) -> None:
        (folder / "contexts").mkdir(exist_ok=True)
        self._parquet = pq.ParquetWriter(
            folder / "contexts" / f"{split}.parquet",
            schema.CONTEXTS_SCHEMA,
            compression="zstd",
            use_dictionary=False,
            write_page_index=True,
        )
        self._jsonl = (folder / f"shared_contexts_{split}.jsonl").open("wb")
        self._waiting: list[pa.RecordBatch] = []

    def append(self, batch: pa.RecordBatch, json_line: bytes) -> None:
        """Add one context: its table row and its line, which ends with a newline."""
        self._jsonl.write(json_line)
        self._waiting.append(batch)
        if len(self._waiting) == ROWS_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._parquet.write_table(pa.Table.from_batches(self._waiting).combine_chunks())
            self._waiting.clear()

    def __enter__(self) -> "ContextsWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._flush()
        self._parquet.close()
        self._jsonl.close()


def write_questions(
    folder: Path,
    split: str,
    questions: Sequence[schema.Question],
    annotations: Sequence[schema.Annotation],
) -> None:
    """Write ``benchmark``, ``annotations`` and the CSV of a split, in the given order of rows."""
    for name, table in (
        ("benchmark", make_table(schema.Question, questions)),
        ("annotations", make_table(schema.Annotation, annotations)),
    ):
        (folder / name).mkdir(exist_ok=True)
        pq.write_table(
            table, folder / name / f"{split}.parquet", compression="zstd", write_page_index=True
        )
    path = folder / f"questions_{split}.csv"
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(schema.OFFICIAL_COLUMNS)
        for question in questions:
            writer.writerow([getattr(question, column) for column in schema.OFFICIAL_COLUMNS])


def encode_messages(messages: Sequence[schema.Message]) -> bytes:
    """Return messages as JSON: the bytes of ``json.dumps(messages, ensure_ascii=False)``.

    Half the price of ``json.dumps``, which looks at every letter by itself.
    """
    records = [
        f'{{"role": "{_escape(message["role"])}", "content": "{_escape(message["content"])}"}}'
        for message in messages
    ]
    encoded = f"[{', '.join(records)}]".encode()
    if np.frombuffer(encoded, np.uint8).min() < ord(" "):  # Other control signs are rare.
        return json.dumps(list(messages), ensure_ascii=False).encode()
    return encoded


def hash_messages(messages: Sequence[schema.Message]) -> str:
    """Return the id of the context with these messages: the sha256 of their JSON, in hex."""
    return hashlib.sha256(encode_messages(messages)).hexdigest()


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def batch_to_bytes(batch: pa.RecordBatch) -> bytes:
    """Serialise a record batch in the Arrow IPC stream format."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def batch_from_bytes(data: bytes) -> pa.RecordBatch:
    """Return the record batch serialised by ``batch_to_bytes``."""
    batches: Iterable[pa.RecordBatch] = pa.ipc.open_stream(data)
    return next(iter(batches))
