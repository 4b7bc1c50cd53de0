"""JSON of unknown origin: strict JSON in UTF-8, or one clear error."""

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import read_bytes
from personamem.loaders.formats.unicode import refuse_surrogates

MOST_BYTES = 64 * 2**20
"""Of a JSON file that is read at once; lines of contexts are read otherwise."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_json_file(path: Path) -> Any:
    """Return what a JSON file holds.

    Raises:
        DatasetError: no regular file, too large, or not JSON as ``parse_json`` accepts it.
    """
    content = read_bytes(path, MOST_BYTES)
    try:
        return parse_json(content)
    except ValueError as error:
        raise DatasetError(f"{path} is not valid UTF-8 JSON: {error}.") from error


def parse_json(text: bytes | str, allow_nan: bool = False) -> Any:
    """Return the value of a JSON text.

    ``allow_nan`` accepts NaN and infinities, which Python's ``json`` writes.

    Raises:
        ValueError: not UTF-8, not JSON as the standard has it, nested without end, a number of
            thousands of digits, a name twice in an object, or half of a surrogate pair.
    """
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        value = json.loads(
            decoded,
            parse_constant=None if allow_nan else _refuse_constant,
            object_pairs_hook=_make_object,
        )
        # Only an escape can bring in half of a surrogate pair, which no UTF-8 text holds.
        if _SURROGATE.search(decoded):
            refuse_surrogates(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the name {twice[:80]!r} twice")
    return value
