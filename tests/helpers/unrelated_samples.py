"""Samples of unrelated exchanges and readers of their text, for the tests of each family."""

import hashlib
import json
import re
from datetime import date, datetime
from functools import cache
from random import Random

from personamem.dataset_builder.fillers import UnrelatedWriter

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
DATE = r"(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{1,2}, \d{4})"
NUMBER = r"(-?\d[\d,]*(?:\.\d+)?)"


@cache
def sample(kind: str, number: int = 60) -> tuple[tuple[str, str], ...]:
    """Pairs of a user message and its answer."""
    writer, pairs = UnrelatedWriter(Random(f"test {kind}")), []
    for _ in range(number):
        texts = [message["content"] for message in writer.exchange(kind)]
        pairs.extend(zip(texts[::2], texts[1::2], strict=True))
    return tuple(pairs)


def found(kind: str, pattern: str) -> list[tuple[str, ...]]:
    """All groups that ``pattern`` finds in the answers of a kind; fails when there are none."""
    hits = [match.groups() for _, reply in sample(kind) for match in re.finditer(pattern, reply)]
    assert hits, f"no answer of {kind} matches {pattern}"
    return hits


def number(text: str) -> float:
    return float(text.replace(",", ""))


def day(text: str) -> date:
    for form in ("%Y-%m-%d", "%d %B %Y", "%d %b %Y", "%B %d, %Y"):
        try:
            return datetime.strptime(text, form).date()
        except ValueError:
            continue
    raise AssertionError(text)


def prose(text: str) -> str:
    """The text without code, tables and quoted samples."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


def cells(text: str) -> list[list[str]]:
    """The rows of the Markdown tables in ``text``, header first, rules left out."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if not re.fullmatch(r"[-: ]+", "".join(row))]


def digest(seed: int) -> str:
    pairs = UnrelatedWriter(Random(seed)).session(9_000, len)
    return hashlib.sha256(json.dumps(pairs).encode()).hexdigest()
