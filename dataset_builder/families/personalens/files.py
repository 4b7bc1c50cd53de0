"""The files of the family: five tables, and the official layout beside."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.families.personalens.official_layout import (
    encode_schema,
    encode_tasks,
)
from personamem.loaders.personalens.benchmark import PersonaLens
from personamem.loaders.personalens.schema import SCHEMAS, SPLIT

_ROWS_PER_GROUP = {"profiles": 100}
"""Of a table whose rows are long; a reader holds one group at a time."""
_DEFAULT_ROWS = 20_000


def write_tables(folder: Path, data: PersonaLens) -> dict[str, int]:
    """Write all tables and the files of no user; return the rows of each table by file name."""
    counts = {}
    for table, schema in SCHEMAS.items():
        rows: Sequence[Any] = getattr(data, table)
        name = f"{table}/{SPLIT}.parquet"
        body = BytesIO()
        groups = _ROWS_PER_GROUP.get(table, _DEFAULT_ROWS)
        with pq.ParquetWriter(body, schema, compression="zstd", write_page_index=True) as writer:
            for start in range(0, max(len(rows), 1), groups):
                part = [make_plain(row) for row in rows[start : start + groups]]
                writer.write_table(pa.Table.from_pylist(part, schema=schema))
        write_files(folder, {name: body.getvalue()})
        counts[name] = len(rows)
    write_files(folder, dict(encode_tasks(data.tasks)))
    write_files(folder, dict([encode_schema(data.preference_types, data.tasks)]))
    return counts


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into the folder of a dataset."""
    for name, body in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


def make_plain(value: Any) -> Any:
    """Return a record as dictionaries and lists, as Arrow takes them."""
    if is_dataclass(value):
        return {field.name: make_plain(getattr(value, field.name)) for field in fields(value)}
    return [make_plain(item) for item in value] if isinstance(value, tuple) else value
