"""Which message holds which word: BM25 over any prefix of a context, after one reading of it.

Words are runs of letters, digits and underscores in lower case. Only the words that questions ask
for are indexed, so a context of a million tokens takes a few megabytes. A prefix reads nothing
again: postings are in message order, so a binary search cuts them at the prefix's end.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from personamem.loaders.formats.schema import Message

K1 = 1.5
B = 0.75

Weights = NDArray[np.float64]
"""One value for every message of a prefix."""

_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"\W")
_PIECE = 1 << 20


def find_words(text: str) -> list[str]:
    """Return the words of a text in order."""
    return _WORD.findall(text.lower())


class Postings:
    """The messages in which each of some words occurs, and how often; the messages' lengths."""

    def __init__(self, messages: Sequence[Message], words: Iterable[str]) -> None:
        """Read the messages once, in time linear in their length."""
        numbers = {word: number for number, word in enumerate(dict.fromkeys(words))}
        count = len(messages)
        self.lengths = np.zeros(count, dtype=np.int64)
        found, per_message = array("q"), np.zeros(count, dtype=np.int64)
        for index, message in enumerate(messages):
            before = len(found)
            for tokens in _iterate_words(message["content"]):
                self.lengths[index] += len(tokens)
                found.extend([numbers[token] for token in tokens if token in numbers])
            per_message[index] = len(found) - before
        places = np.frombuffer(found, dtype=np.int64) * count if found else np.zeros(0, np.int64)
        places = places + np.repeat(np.arange(count), per_message)
        keys, counts = np.unique(places, return_counts=True)
        bounds = np.searchsorted(keys, np.arange(len(numbers) + 1) * count)
        self._places = {
            word: (keys[bounds[i] : bounds[i + 1]] - i * count, counts[bounds[i] : bounds[i + 1]])
            for word, i in numbers.items()
        }
        self._total_words = np.concatenate(([0], np.cumsum(self.lengths)))
        self._held: list[frozenset[str]] | None = None

    def cut(self, end: int) -> "Prefix":
        """Return the view of ``messages[:end]``."""
        return Prefix(self, min(max(end, 0), len(self.lengths)))

    def find(self, word: str, end: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the messages before ``end`` that hold a word, in order, and its counts there."""
        places, counts = self._places.get(word, (np.zeros(0, np.int64), np.zeros(0, np.int64)))
        stop = np.searchsorted(places, end)
        return places[:stop], counts[:stop]

    def words_of(self, message: int) -> frozenset[str]:
        """Return which of the words a message holds."""
        if self._held is None:
            held: list[list[str]] = [[] for _ in self.lengths]
            for word, (places, _) in self._places.items():
                for place in places.tolist():
                    held[place].append(word)
            self._held = [frozenset(words) for words in held]
        return self._held[message]

    def mean_length(self, end: int) -> float:
        """Return the mean number of words of ``messages[:end]``."""
        return float(self._total_words[end]) / end if end else 0.0


class Prefix:
    """The first ``size`` messages of a context as a collection of documents of its own."""

    def __init__(self, postings: Postings, size: int) -> None:
        """Prepare the length normalisation; ``Postings.cut`` makes prefixes."""
        self.size = size
        self._postings = postings
        mean = postings.mean_length(size) or 1.0
        self._penalty = K1 * (1 - B + B * postings.lengths[:size] / mean)
        self._parts: dict[str, tuple[NDArray[np.int64], Weights, float]] = {}

    def score(self, words: Iterable[str]) -> Weights:
        """Return each message's BM25 score for a query in which every word counts once.

        As in Lucene (and bm25s, method "lucene"): the sum over the words of
        ``idf * tf / (tf + K1 * (1 - B + B * length / mean length))`` with
        ``idf = ln(1 + (N - df + 0.5) / (df + 0.5))``, all of the prefix alone.
        """
        total = np.zeros(self.size)
        for word in dict.fromkeys(words):
            places, gains, _ = self._part(word)
            total[places] += gains
        return total

    def overlap(self, words: Iterable[str]) -> Weights:
        """Return for each message the sum of the idf of those words that it holds."""
        total = np.zeros(self.size)
        for word in dict.fromkeys(words):
            places, _, idf = self._part(word)
            total[places] += idf
        return total

    def held_by(self, words: Iterable[str], messages: NDArray[np.int64]) -> float:
        """Return the sum of the idf of those words that any of some messages hold."""
        held = set().union(*(self._postings.words_of(message) for message in messages.tolist()))
        return sum(self._part(word)[2] for word in dict.fromkeys(words) if word in held)

    def _part(self, word: str) -> tuple[NDArray[np.int64], Weights, float]:
        if word not in self._parts:
            places, counts = self._postings.find(word, self.size)
            frequency = len(places)
            idf = float(np.log(1 + (self.size - frequency + 0.5) / (frequency + 0.5)))
            self._parts[word] = (places, idf * counts / (counts + self._penalty[places]), idf)
        return self._parts[word]


def _iterate_words(text: str) -> Iterator[list[str]]:
    """Yield the words of a text, in pieces, so that a huge message is never a list of words."""
    start = 0
    while start < len(text):
        gap = _BREAK.search(text, start + _PIECE) if len(text) - start > _PIECE else None
        stop = gap.start() if gap else len(text)
        yield find_words(text[start:stop])
        start = stop
