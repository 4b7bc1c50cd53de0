"""Reading a model's reply to an open question: the list that it was asked for, in many spellings.

Read are, in this order: the last list in brackets, as JSON or as Python writes it (``find_json``),
alone or in an object (``{"answer": [...]}``), within prose or a code block; another JSON value; a
list in lines ("- violin", "1. cello"); a reply of one short line, which is one item. Anything else
is unparsable (None), never a guess: longer prose, an empty text, a list that is cut off.
"""

import re
from collections.abc import Iterator
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.json_files import parse_json
from personamem.loaders.formats.model_text import find_json, strip_reasoning
from personamem.loaders.personabench.answers import items_of
from personamem.loaders.personabench.records import AnswerItem

SHORT_LINE = 80
"""The most characters of a reply that is taken as one item."""

MOST_BRACKETS = 200
"""Opening brackets that are tried; a reply with more is noise."""

_QUOTES = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")
_LABEL = re.compile(r"(?:the\s+)?answers?(?:\s+(?:is|are))?\s*:\s*", re.IGNORECASE)
_FENCE = re.compile(r"^```\w*\s*$", re.MULTILINE)
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+(\S.*)")


def read_items(text: str) -> tuple[AnswerItem, ...] | None:
    """Return the items of a reply, none for an empty list; None where it cannot be read."""
    reply = strip_reasoning(text)
    if not reply:
        return None
    try:
        found = list(_find_lists(reply)) or list(_find_lists(reply.translate(_QUOTES)))
    except ValueError:
        return None
    if found:
        return found[-1]
    if "[" in reply:
        return None  # A list that is cut off, or damaged.
    bare = _LABEL.sub("", _FENCE.sub("", reply), count=1).strip()
    try:
        return _flatten(parse_json(bare))
    except ValueError:
        return _read_lines(bare)


def _find_lists(text: str) -> Iterator[tuple[AnswerItem, ...]]:
    """Yield the lists in brackets that hold nothing but items.

    Raises:
        ValueError: there are too many brackets.
    """
    end = 0
    for found in find_json(text, "[", inside=True, most_candidates=MOST_BRACKETS):
        if found.start < end:
            continue
        try:
            items = _flatten(found.value)
        except ValueError:
            continue
        end = found.end
        yield items


def _flatten(value: Any) -> tuple[AnswerItem, ...]:
    """Return the items of a parsed value; raises ValueError if it holds anything else."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(next(iter(value.values())), list):
        (value,) = value.values()
    parts = value if isinstance(value, list) else [value]
    items = [item for part in parts for item in (part if isinstance(part, list) else [part])]
    known = tuple(item for item in items if item is not None)
    try:
        items_of(known)
    except InvalidInputError as error:
        raise ValueError(f"{error}") from error
    return known


def _read_lines(text: str) -> tuple[AnswerItem, ...] | None:
    lines = [line for line in text.splitlines() if line.strip()]
    bullets = [match[1].strip() for line in lines if (match := _BULLET.fullmatch(line))]
    if len(bullets) > 1 or (bullets and len(bullets) == len(lines)):
        return tuple(bullets)
    if len(lines) == 1 and len(lines[0]) <= SHORT_LINE:
        return (lines[0].strip().strip("\"'`*"),)
    return None
