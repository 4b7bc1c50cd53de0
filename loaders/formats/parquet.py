"""Parquet tables of unknown origin: their columns checked, and every fault one clear error."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import require_file
from personamem.loaders.formats.records import Record, make_schema, read_record

# What Arrow raises for damaged bytes: its own errors, and Python's where a value becomes one of
# Python's (text that is not UTF-8, a time beyond the calendar).
_FAULTS = (pa.ArrowException, OSError, ValueError, OverflowError, MemoryError, NotImplementedError)


@contextmanager
def open_parquet(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file. The block should do nothing but read from it.

    Raises:
        DatasetError: no regular file, or damaged, as far as the block reads it.
    """
    require_file(path)
    with translate_faults(path), pq.ParquetFile(path) as file:
        yield file


@contextmanager
def translate_faults(path: Path) -> Iterator[None]:
    """Raise a DatasetError for what Arrow raises in the block, which reads or decodes ``path``."""
    try:
        yield
    except DatasetError:
        raise
    except _FAULTS as error:
        raise DatasetError(f"{path} cannot be read as Parquet: {_first_line(error)}") from error


def count_rows(path: Path) -> int:
    """Return the number of rows that the file's footer states. Raises DatasetError."""
    with open_parquet(path) as file:
        return int(file.metadata.num_rows)


def read_records(path: Path, record: type[Record]) -> list[tuple[str, Record]]:
    """Read a table whose columns are the fields of ``record``; further columns are ignored.

    Returns what to call a row in an error, counted from 1, and the record, for each row.

    Raises:
        DatasetError: not Parquet, a column is missing or of another type, a value is null.
    """
    return [
        (where, read_record(record, row, where))
        for where, row in read_rows(path, make_schema(record))
    ]


def read_rows(path: Path, schema: pa.Schema) -> list[tuple[str, dict[str, Any]]]:
    """Read the columns of ``schema`` as (what to call the row, its values by column).

    Raises:
        DatasetError: not Parquet, or a column is missing or of another type.
    """
    with open_parquet(path) as file:
        check_columns(path, file.schema_arrow, schema)
        rows = file.read(columns=schema.names).to_pylist()
    return [(f"{path}, row {number}", row) for number, row in enumerate(rows, start=1)]


def check_columns(path: Path, found: pa.Schema, expected: pa.Schema) -> None:
    """Raise a DatasetError if a column of ``expected`` is missing, twice, or of another type."""
    missing = [name for name in expected.names if name not in found.names]
    if missing:
        raise DatasetError(
            f"{path} lacks the columns {', '.join(missing)}. It has: {', '.join(found.names)}."
        )
    for field in expected:
        if found.names.count(field.name) > 1:
            raise DatasetError(f"{path}: column {field.name!r} occurs twice.")
        if not is_of_type(found.field(field.name).type, field.type):
            raise DatasetError(
                f"{path}: column {field.name!r} is {found.field(field.name).type}, "
                f"expected {field.type}."
            )


def is_of_type(found: pa.DataType, expected: pa.DataType) -> bool:
    """Return whether a column's type is the expected one."""
    # Parquet knows no seconds: a timestamp comes back in another unit.
    if pa.types.is_timestamp(expected) and pa.types.is_timestamp(found):
        return bool(found.tz == expected.tz)
    # Names of list items differ between writers ("item", "element"); equals() ignores them.
    return bool(found.equals(expected))


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), repr(error))
