"""Messages of a context that repeat an earlier one."""

import re
from collections.abc import Iterable
from functools import lru_cache

LONG_LETTERS = 60
"""A message of more letters should not return; a short one may ("Thanks, that helps")."""

MAX_REPEATED = 0.005
"""The share of the long messages of a context that may equal an earlier one."""

_GRAM = 8
_WORD = re.compile(r"\w+|[^\w\s]")


@lru_cache(maxsize=1 << 12)
def count_repeated_words(texts: tuple[str, ...]) -> int:
    """Return how many runs of eight words, punctuation marks included, equal an earlier one."""
    seen: set[tuple[str, ...]] = set()
    total = 0
    for text in texts:
        words = _WORD.findall(text.lower())
        runs = [tuple(words[start : start + _GRAM]) for start in range(len(words) - _GRAM + 1)]
        seen.update(runs)
        total += len(runs)
    return total - len(seen)


class RepeatCounter:
    """Counts the long messages of a context, and those that equal an earlier one."""

    def __init__(self) -> None:
        """Start without a message."""
        self._seen: set[str] = set()
        self._total = 0

    def add(self, texts: Iterable[str]) -> None:
        """Count further messages."""
        long = [text for text in texts if len(text) > LONG_LETTERS]
        self._total += len(long)
        self._seen.update(long)

    @property
    def share(self) -> float:
        """The share of the long messages that equal an earlier one; 0 without any."""
        return 1 - len(self._seen) / self._total if self._total else 0.0

    def exceeds_with(self, texts: Iterable[str]) -> bool:
        """Return whether ``texts`` repeat a message where there may be no further repeat."""
        long = [text for text in texts if len(text) > LONG_LETTERS]
        new = set(long) - self._seen
        if len(new) == len(long):
            return False
        total = self._total + len(long)
        return total - len(self._seen) - len(new) > MAX_REPEATED * total
