"""JSON out of what models write: fences, words around it, commas too many, raw line breaks."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError

from personamem.dataset_builder.llm.errors import UnreadableAnswerError
from personamem.dataset_builder.llm.faults import shorten

Form = TypeVar("Form", bound=BaseModel)

MOST_CANDIDATES = 64
"""Places at which JSON might begin that are tried."""

MOST_LETTERS = 4_000_000
"""Letters that are looked at in all, over all candidates: the bound for texts made to stall."""

_SHOWN_ERRORS = 3

_OPENING = re.compile(r"[{\[]")

# A string, which is kept, or a comma before a closing bracket, which is not. A string without an
# end takes all the rest, lest every quote in it is tried as a beginning.
_TRAILING_COMMA = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|,(?=\s*+[\]}])', re.DOTALL)


def read_json(text: str, form: type[Form]) -> Form:
    """Return the first JSON value in ``text`` that has the form of a pydantic model.

    Text around it, code fences, trailing commas and raw line breaks in strings are accepted, and
    what stands before ``</think>`` is passed over. Nothing is ever run: a text is data.

    Raises:
        UnreadableAnswerError: there is none; the message says what the likeliest one lacks.
    """
    problem = "it holds no JSON"
    for value in _find_values(text.rpartition("</think>")[2]):
        try:
            return form.model_validate(value)
        except ValidationError as error:
            # The outermost value comes first, and is the one that was meant.
            if problem == "it holds no JSON":
                problem = _describe(error)
    raise UnreadableAnswerError(f"The answer cannot be read: {problem}. It begins {shorten(text)}")


def _find_values(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
    position, left = 0, MOST_LETTERS
    for _ in range(MOST_CANDIDATES):
        start = _OPENING.search(text, position)
        if start is None or left <= 0:
            return
        position = start.start() + 1
        rest = text[start.start() :]
        left -= len(rest)
        try:
            value, length = decoder.raw_decode(rest)
        except (ValueError, RecursionError):
            try:
                repaired = _TRAILING_COMMA.sub(_keep_string, rest)
                value, _ = decoder.raw_decode(repaired)
            except (ValueError, RecursionError):
                continue
            # How much the repair took out is not known, so what lies inside is looked at again.
            length = 1
        yield value
        position = start.start() + length


def _keep_string(match: re.Match[str]) -> str:
    return "" if match[0] == "," else match[0]


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _describe(error: ValidationError) -> str:
    found = error.errors(include_url=False, include_input=False, include_context=False)
    parts = [
        f"{'.'.join(map(str, entry['loc'])) or 'the whole'}: {entry['msg']}"
        for entry in found[:_SHOWN_ERRORS]
    ]
    more = len(found) - len(parts)
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")
