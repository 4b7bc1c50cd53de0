"""Reading what models write: the reply behind their reasoning, and JSON among other words.

Nothing that a model wrote is ever run, and no text can stall these functions.
"""

import ast
import json
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

MOST_CANDIDATES = 64
"""Places at which JSON might begin that are tried."""

MOST_CHARACTERS = 4_000_000
"""Characters that are read in all, over all candidates."""

LONGEST_LITERAL = 10_000
"""Characters of a list as Python writes it."""

_REASONING_START = re.compile(r"\s*<think(?:ing)?>")
_REASONING_END = re.compile(r"</think(?:ing)?>")

# A string, which is kept, or a comma before a closing bracket, which is not. A string without an
# end takes all the rest, lest every quote in it is tried as a beginning.
_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|,(?=\s*+[\]}])', re.DOTALL)

_NOT_READ = (ValueError, SyntaxError, TypeError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A JSON value in a text, and where it stands: ``text[start:end]``."""

    value: Any
    start: int
    end: int


def strip_reasoning(text: str) -> str | None:
    """Return the reply behind the last ``</think>`` or ``</thinking>``, or all of a text without.

    A text that begins with ``<think>`` or ``<thinking>`` and never ends it holds no reply: None.
    """
    end = 0
    for match in _REASONING_END.finditer(text):
        end = match.end()
    if not end and _REASONING_START.match(text):
        return None
    return text[end:].strip()


def find_json(
    text: str,
    openings: str = "{[",
    *,
    inside: bool = False,
    most_candidates: int = MOST_CANDIDATES,
) -> Iterator[FoundValue]:
    """Yield the JSON objects and lists in a text, from left to right, the outermost first.

    Read are JSON, with raw line breaks in strings or commas before a closing bracket as well, and
    flat lists as Python writes them. A value that is cut off is not completed. NaN and Infinity are
    no JSON.

    Args:
        openings: brackets with which a value may begin.
        inside: also yield the values within a value that was found, after it.
        most_candidates: opening brackets that are tried.

    Raises:
        ValueError: at the end, if there are more brackets than are tried, or so much text behind
            them that trying the rest would take long.
    """
    opening = re.compile(f"[{re.escape(openings)}]")
    position, candidates, left = 0, most_candidates, MOST_CHARACTERS
    while match := opening.search(text, position):
        if not candidates or left <= 0:
            raise ValueError(f"more than {most_candidates - candidates} brackets may begin JSON")
        start = match.start()
        candidates -= 1
        try:
            value, length = _read_value(text[start:])
        except _NOT_READ:
            left -= len(text) - start
            position = start + 1
            continue
        left -= length
        position = start + (1 if inside else length)
        yield FoundValue(value, start, start + length)


def _read_value(text: str) -> tuple[Any, int]:
    """Return the value with which a text begins, and its length; raise one of ``_NOT_READ``."""
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
    try:
        return decoder.raw_decode(text)
    except (ValueError, RecursionError):
        pass
    try:
        # A space in place of each comma leaves all lengths as they are.
        return decoder.raw_decode(_TRAILING_COMMA.sub(_blank_comma, text))
    except (ValueError, RecursionError):
        return _read_literal(text)


def _read_literal(text: str) -> tuple[Any, int]:
    """Read a list without lists in it: 'violin', "cello"."""
    if not text.startswith("["):
        raise ValueError("no list")
    length = text.index("]", 0, LONGEST_LITERAL) + 1
    with warnings.catch_warnings():
        # Python warns of escapes that it does not know, such as "\\d".
        warnings.simplefilter("ignore")
        return ast.literal_eval(text[:length]), length


def _blank_comma(match: re.Match[str]) -> str:
    return " " if match[0] == "," else match[0]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
