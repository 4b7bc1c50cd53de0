"""CSV rows as mappings, with errors that name the file and the place."""

import csv
import sys
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from io import TextIOWrapper
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import open_file

# A cell may hold a whole conversation; the module's limit of 128 KiB would refuse it.
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


def iterate_csv_rows(
    path: Path, check_header: Callable[[list[str]], None]
) -> Generator[tuple[str, dict[str, str | None]]]:
    """Yield what to call a row in an error, counted from 1, and its cells by column.

    Cells that a short row lacks are None. ``check_header`` sees the columns first.

    Raises:
        DatasetError: no regular file, not UTF-8, not CSV, a column twice, too many cells in a row.
    """
    with open_file(path) as stream:
        reader = csv.DictReader(TextIOWrapper(stream, "utf-8-sig", newline=""), strict=True)
        try:
            header = list(reader.fieldnames or ())
            _refuse_twice(path, header)
            check_header(header)
            for number, row in enumerate(reader, start=1):
                where = f"{path}, row {number}"
                if None in row:
                    raise DatasetError(f"{where} has more cells than the {len(header)} columns.")
                yield where, row
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


def _refuse_twice(path: Path, header: list[str]) -> None:
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise DatasetError(f"{path} has the column {twice[0]!r} twice.")
