"""The texts of a context, and the bytes of all of them in one array, which is searched fast.

Comparing arrays of bytes costs a fraction of a nanosecond a character, a regular expression of
Python ten or more. So arrays pick the messages that could hold something, and Python reads those.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from personamem.loaders.formats.schema import Message

PADDING = 4
"""Line feeds before the first and after the last message, so that neighbours always exist."""

BLOCK_LETTERS = 100_000
"""Messages are searched in blocks of this size, whose arrays stay in the cache of a processor."""

_END = "\n\0"
"""What follows a message in ``joined``."""

Mask = NDArray[np.bool_]
Positions = NDArray[np.int64]


@dataclass(frozen=True)
class MessageTexts:
    """The texts of a context's messages, in order; ``roles`` are who says them."""

    context_id: str
    texts: Sequence[str]
    roles: Sequence[str]

    @cached_property
    def blocks(self) -> "list[tuple[int, Block]]":
        """The messages in blocks, each with the number of its first message."""
        blocks, start, letters = [], 0, 0
        for number, text in enumerate(self.texts, start=1):
            letters += len(text)
            if letters >= BLOCK_LETTERS or number == len(self.texts):
                blocks.append((start, Block(self.texts[start:number], self.roles[start:number])))
                start, letters = number, 0
        return blocks


@dataclass(frozen=True)
class Block:
    """Some messages of a context."""

    texts: Sequence[str]
    roles: Sequence[str]

    @cached_property
    def joined(self) -> bytes:
        """All texts in UTF-8, between line feeds. A lone surrogate is a question mark."""
        pad = "\n" * PADDING
        return "".join((pad, _END.join(self.texts), _END, pad)).encode("utf-8", "replace")

    @cached_property
    def letters(self) -> NDArray[np.uint8]:
        """The bytes of ``joined``."""
        return np.frombuffer(self.joined, np.uint8)

    @cached_property
    def ends(self) -> Positions:
        """Where in ``joined`` each message ends, what follows it included."""
        ends = np.flatnonzero(self.letters == 0) + 1
        if len(ends) == len(self.texts):
            return ends
        # A text holds a zero.
        sizes = [len(f"{text}{_END}".encode("utf-8", "replace")) for text in self.texts]
        return PADDING + np.cumsum(np.array(sizes, np.int64))

    @cached_property
    def starts(self) -> Positions:
        """Where in ``joined`` each message starts."""
        return np.concatenate([np.full(1, PADDING), self.ends[:-1]])

    def locate(self, positions: Positions) -> set[int]:
        """Return the messages in which some positions of ``joined`` stand."""
        return set(np.searchsorted(self.ends, positions, side="right").tolist())

    def find(self, *marks: bytes) -> Positions:
        """Return where any of some texts of two bytes or more begin in ``joined``, in no order."""
        found = [np.zeros(0, np.int64)]
        for mark in marks:
            places = np.flatnonzero(
                (self.letters[: -len(mark)] == mark[0])
                & (self.letters[1 : len(self.letters) - len(mark) + 1] == mark[1])
            )
            for shift in range(2, len(mark)):
                places = places[self.letters[places + shift] == mark[shift]]
            found.append(places)
        return np.concatenate(found)


def read_texts(context_id: str, messages: Sequence[Message]) -> MessageTexts:
    """Return the texts of ``messages``."""
    return MessageTexts(
        context_id,
        [message["content"] for message in messages],
        [message["role"] for message in messages],
    )


def is_one_of(letters: NDArray[np.uint8], wanted: bytes) -> Mask:
    """Return which bytes are among ``wanted``."""
    found: Mask = letters == wanted[0]
    for letter in wanted[1:]:
        found |= letters == letter
    return found


def is_between(letters: NDArray[np.uint8], low: bytes, high: bytes) -> Mask:
    """Return which bytes lie from ``low`` to ``high``, both included."""
    # One comparison: what lies below wraps round to far above.
    inside: Mask = (letters - np.uint8(low[0])) <= high[0] - low[0]
    return inside
