"""A prompt's tokens without tokenizing the long text again that it shares with other prompts.

A tokenizer cuts a text at its special tokens (``<|im_start|>`` and the like) before all else, so
the tokens of a chat prompt are those of its pieces, one after the other. The tokens of recent
pieces are remembered. Where that would not hold (a tokenizer in Python, special tokens that
swallow blanks, words that count only when they stand alone) the text is one piece; and the first
texts are tokenized whole as well, and one that differs ends the splitting.
"""

import re
from collections import OrderedDict
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from personamem.tasks.models.prefixes import Tokens

Encode = Callable[[str], list[int]]

REMEMBERED_CHARACTERS = 64_000_000
"""Of the pieces whose tokens are remembered, together."""

CHECKED_TEXTS = 4
"""Texts of more than one piece that are tokenized whole as well."""


class PieceEncoder:
    """Encodes texts piece by piece, with a memory.

    Args:
        tokenizer: a tokenizer of transformers.
        encode_first: encodes a text, or its first piece: may add special tokens in front.
        encode_next: encodes a piece that follows another.
    """

    def __init__(self, tokenizer: Any, encode_first: Encode, encode_next: Encode) -> None:
        """Look at the tokenizer's special tokens."""
        self._boundary = find_boundary(tokenizer)
        self._encode_first = encode_first
        self._encode_next = encode_next
        self._unchecked = CHECKED_TEXTS
        self._memory: OrderedDict[tuple[bool, str], Tokens] = OrderedDict()
        self._characters = 0

    def encode(self, text: str) -> Tokens:
        """Return the tokens of a text, the same as ``encode_first`` of it."""
        pieces = split_at(self._boundary, text)
        tokens = [self._recall(number == 0, piece) for number, piece in enumerate(pieces)]
        joined = np.concatenate(tokens)
        if len(pieces) > 1 and self._unchecked:
            self._unchecked -= 1
            whole = np.array(self._encode_first(text), np.int32)
            if not np.array_equal(whole, joined):
                self._boundary = None
                return whole
        return joined

    def _recall(self, first: bool, piece: str) -> Tokens:
        key = (first, piece)
        tokens = self._memory.pop(key, None)
        if tokens is None:
            encode = self._encode_first if first else self._encode_next
            tokens = np.array(encode(piece), np.int32)
            self._characters += len(piece)
        self._memory[key] = tokens
        while self._characters > REMEMBERED_CHARACTERS:
            (_, oldest), _ = self._memory.popitem(last=False)
            self._characters -= len(oldest)
        return tokens


def find_boundary(tokenizer: Any) -> re.Pattern[str] | None:
    """Return what matches the tokens that a tokenizer cuts texts at, or None for no such cuts.

    Only tokens that match the raw text count, and all of them must stand for themselves: one that
    takes the blanks around it along, or needs blanks, would make a piece depend on its neighbours.
    """
    if not getattr(tokenizer, "is_fast", False) or getattr(
        tokenizer, "split_special_tokens", False
    ):
        return None
    raw = [token for token in tokenizer.added_tokens_decoder.values() if not token.normalized]
    if not raw or any(token.lstrip or token.rstrip or token.single_word for token in raw):
        return None
    # Where two begin at the same place the tokenizer takes the longer one, as the pattern does.
    names = sorted((token.content for token in raw), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)))


def split_at(boundary: re.Pattern[str] | None, text: str) -> list[str]:
    """Split a text before every match; the pieces joined are the text, and none is empty."""
    starts = [match.start() for match in boundary.finditer(text)] if boundary else []
    cuts = [0, *(start for start in starts if start > 0), len(text)]
    return [text[begin:end] for begin, end in pairwise(cuts)]
