"""JSON files of unknown origin: strict JSON or one clear error."""

import json
from pathlib import Path
from typing import Any, NoReturn

from personamem.loaders.formats.errors import DatasetError

MOST_BYTES = 64 * 2**20
"""Of a JSON file that is read at once; lines of contexts are read otherwise."""


def read_json_file(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        DatasetError: no regular file, too large, or not UTF-8 JSON as the standard has it (NaN,
            numbers of thousands of digits and nesting without end are refused).
    """
    if not path.is_file():
        reason = "is not a regular file" if path.exists() else "is missing"
        raise DatasetError(f"{path} {reason}.")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise DatasetError(f"{path} has {size:,} bytes. Accepted: at most {MOST_BYTES:,}.")
    try:
        return parse_json(path.read_bytes())
    except OSError as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error
    except ValueError as error:
        raise DatasetError(f"{path} is not valid UTF-8 JSON: {error}.") from error


def parse_json(text: bytes | str) -> Any:
    """Return the value of a JSON text. Raises ValueError for anything that is not strict JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
