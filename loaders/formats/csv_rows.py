"""CSV rows as mappings, with errors that name the file and the place."""

import csv
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError

# A cell may hold a whole conversation; the module's limit of 128 KiB would refuse it.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def iterate_csv_rows(
    path: Path, check_header: Callable[[list[str]], None]
) -> Iterator[dict[str, str | None]]:
    """Yield the rows of a UTF-8 CSV file; ``check_header`` sees its columns first.

    Cells that a short row lacks are None.

    Raises:
        DatasetError: not UTF-8, or not CSV.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, strict=True)
            check_header(list(reader.fieldnames or ()))
            yield from reader
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from error
    except csv.Error as error:
        raise DatasetError(
            f"{path} is not valid CSV near line {reader.line_num}: {error}."
        ) from error


def require_columns(
    path: Path, header: list[str], expected: list[str], described: Mapping[str, str] | None = None
) -> None:
    """Raise a DatasetError that names the columns of ``expected`` which ``header`` lacks.

    ``described`` tells how to name a column in the message, where that is not its name.
    """
    missing = [(described or {}).get(name, name) for name in expected if name not in header]
    if missing:
        raise DatasetError(
            f"{path} lacks the columns {', '.join(missing)}. It has: {', '.join(header) or 'none'}."
        )


def not_utf8(path: Path, error: UnicodeDecodeError, offset: int = 0) -> DatasetError:
    """Return the error for bytes that are not UTF-8; ``offset`` is where the decoded part lies."""
    return DatasetError(
        f"{path} is not UTF-8: byte 0x{error.object[error.start]:02x} near offset "
        f"{offset + error.start}. Accepted: UTF-8 only."
    )
