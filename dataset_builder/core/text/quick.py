"""The quick filter for residue: the messages that could hold a fault of a kind, by arrays of bytes.

It finds every message in which ``faults`` finds something, and few others. (Except for brackets,
which it counts with those in code: a message in which only the sum is even passes.)
"""

import re
from collections.abc import Container
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.core.text.faults import (
    ARTICLES,
    BRACKETS,
    CASING,
    DOUBLED,
    PUNCTUATION,
    RESIDUE_KINDS,
    SLOTS,
    SPACING,
)
from personamem.dataset_builder.core.text.messages import (
    PADDING,
    Block,
    Mask,
    Positions,
    is_between,
    is_one_of,
)

Scalar = TypeVar("Scalar", bound=np.generic)

_LOWER = 32
"""The bit by which a small letter differs from a capital."""

_SLOT_WORDS = (b"TODO", b"FIXME", b"orem ", b"NaN", b" None", b" nan")

_ODD_ARTICLE = re.compile(
    rb"[Aa] (?:[aeiAEI]|[oO](?:[^n]|n(?:[^ec]|e[a-z]))|[hH](?:on|our|eir)|8|1[18](?:\D|$)"
    rb"|[uU](?:[^bfkrstn]|n(?:[^i]|i[^tfvqlocsd])|f[^o]|r[^aeio]))"
    rb"|[Aa]n (?:[b-dfgj-np-tv-zB-DGJKPQTV-Z]|[FLMNRSX][a-z]|[hH](?:[^eo]|e[^i]|o(?:[^un]|u[^r]"
    rb"|n[^eo]))|[uU](?:[bfkrst]|ni|ls)|[oO]n(?:e(?:[^a-z]|s|$)|ce)|[oO]ui|[eE](?:u|we)|[02-79]"
    rb"|1(?:[^18]|[18]\d|$))"
)
"""An article before what might be said with the other one; nearly all others are right."""

_LOWER_I = re.compile(rb"i(?:['\xe2]| (?:a|wa|ha|d|thi|w|c|lo|li|ne|fe|k))")


def pick_messages(block: Block, kinds: Container[str] = RESIDUE_KINDS) -> dict[str, set[int]]:
    """Return the messages of a block that could hold residue, for each of ``kinds``."""
    masks = _Masks(block)
    finders = {
        SLOTS: _find_slots,
        DOUBLED: _find_doubled,
        ARTICLES: _find_articles,
        CASING: _find_casing,
        SPACING: _find_spaced,
        PUNCTUATION: _find_punctuation,
    }
    picked = {
        kind: block.locate(find(block, masks)) for kind, find in finders.items() if kind in kinds
    }
    if BRACKETS in kinds:
        picked[BRACKETS] = _pick_unbalanced(block, masks)
    return picked


class _Masks:
    """Which bytes are what."""

    def __init__(self, block: Block) -> None:
        self.letters = block.letters

    @cached_property
    def is_lower(self) -> Mask:
        return is_between(self.letters, b"a", b"z")

    @cached_property
    def is_letter(self) -> Mask:
        return self.is_lower | is_between(self.letters, b"A", b"Z")

    @cached_property
    def is_digit(self) -> Mask:
        return is_between(self.letters, b"0", b"9")

    @cached_property
    def is_word(self) -> Mask:
        """Letters, digits, underscores, and all that is not ASCII."""
        return self.is_letter | self.is_digit | self.is_beyond_ascii | is_one_of(self.letters, b"_")

    @cached_property
    def is_beyond_ascii(self) -> Mask:
        mask: Mask = self.letters > 127
        return mask

    @cached_property
    def is_space(self) -> Mask:
        return is_one_of(self.letters, b" ")

    @cached_property
    def is_blank(self) -> Mask:
        return self.is_space | is_between(self.letters, b"\t", b"\r") | self.is_beyond_ascii

    def at(self, values: NDArray[Scalar], shift: int) -> NDArray[Scalar]:
        """Return the value of the byte ``shift`` on, for all bytes but the padding."""
        return values[PADDING + shift : len(values) - PADDING + shift]

    def is_at(self, marks: bytes, shift: int = 0) -> Mask:
        """Return whether the byte ``shift`` on is one of ``marks``."""
        return is_one_of(self.at(self.letters, shift), marks)


def _positions(mask: Mask) -> Positions:
    return np.flatnonzero(mask) + PADDING


def _find_slots(block: Block, masks: _Masks) -> Positions:
    inside = masks.at(masks.is_letter, 1) | masks.is_at(b"_{%|(", 1)
    marks = _positions(masks.is_at(b"{<[%") & inside)
    return np.concatenate([marks, block.find(*_SLOT_WORDS)])


def _find_doubled(block: Block, masks: _Masks) -> Positions:
    """Return the spaces between two words that are the same."""
    letters, joined = masks.letters, block.joined
    breaks = np.flatnonzero(~masks.is_letter)
    lengths = np.diff(breaks) - 1
    same = np.flatnonzero((lengths[:-1] == lengths[1:]) & (lengths[1:] > 0))
    spaces, size = breaks[same + 1], lengths[same]
    alike = letters[spaces] == ord(" ")
    for before, after in ((spaces - size, spaces + 1), (spaces - 1, spaces + size)):
        alike &= (letters[before] | _LOWER) == (letters[after] | _LOWER)
    doubled = [
        space
        for space, long in zip(spaces[alike].tolist(), size[alike].tolist(), strict=True)
        if joined[space - long : space].lower() == joined[space + 1 : space + 1 + long].lower()
    ]
    return np.array(doubled, np.int64)


def _find_articles(block: Block, masks: _Masks) -> Positions:
    starts = masks.is_at(b"aA") & ~masks.at(masks.is_letter, -1)
    after_an = masks.is_at(b"n", 1) & masks.at(masks.is_space, 2)
    likely = masks.at(masks.is_space, 1) & masks.is_at(b"aeiouhAEIOUH18", 2)
    places = _positions(starts & (after_an | likely)).tolist()
    return np.array([i for i in places if _ODD_ARTICLE.match(block.joined, i)], np.int64)


def _find_casing(block: Block, masks: _Masks) -> Positions:
    letters = masks.letters
    ends = _positions(masks.is_at(b".!?") & masks.at(masks.is_space, 1))
    ends = ends[masks.is_lower[ends - 1] | (letters[ends - 1] == ord(")"))]
    following = ends + 2
    while len(gaps := np.flatnonzero(letters[following] == ord(" "))):
        following[gaps] += 1
    sentences = following[masks.is_lower[following]]
    small = masks.is_at(b"i") & ~masks.at(masks.is_word, -1) & masks.is_at(b" '\xe2", 1)
    alone = [i for i in _positions(small).tolist() if _LOWER_I.match(block.joined, i)]
    starts = block.starts[[role != "user" for role in block.roles]]
    stars = (letters[starts] == ord("*")) & (letters[starts + 1] == ord("*"))
    starts = starts[masks.is_lower[starts + 2 * stars]]
    return np.concatenate([sentences, np.array(alone, np.int64), starts])


def _find_spaced(_: Block, masks: _Masks) -> Positions:
    marks = masks.is_at(b",;!?.", 2) & masks.at(masks.is_space, 1)
    return _positions(marks & masks.at(masks.is_letter, 0) & masks.at(masks.is_blank, 3))


def _find_punctuation(_: Block, masks: _Masks) -> Positions:
    before, here, after = (masks.at(masks.letters, shift) for shift in (-1, 0, 1))
    comma, dot = after == ord(","), after == ord(".")
    either = comma | dot
    digit_next = masks.at(masks.is_digit, 2)
    word_next = masks.at(masks.is_word & ~masks.is_beyond_ascii, 2)
    dots = (here == ord(".")) & dot & ~is_one_of(before, b". ") & ~masks.is_at(b"./", 2)
    commas = (here == ord(",")) & (either | masks.is_at(b";:", 1)) & ~digit_next
    semicolons = (here == ord(";")) & (either | (after == ord(";")))
    colons = (here == ord(":")) & either & ~digit_next
    ends = is_one_of(here, b"?!") & either & ~word_next
    points = (here == ord(".")) & comma & masks.at(masks.is_lower, -1)
    return _positions((dots & ~word_next) | commas | semicolons | colons | ends | points)


def _pick_unbalanced(block: Block, masks: _Masks) -> set[int]:
    """Return the messages with unequal numbers of brackets, or an odd number of quotes."""
    letters, number = masks.letters, len(block.texts)
    picked: set[int] = set()
    for opening, closing in (("(", ")"), ("[", "]")):
        balance = _count(block, letters == ord(opening), number)
        balance -= _count(block, letters == ord(closing), number)
        picked.update(np.flatnonzero(balance).tolist())
    picked.update(np.flatnonzero(_count(block, letters == ord('"'), number) % 2).tolist())
    curly = block.locate(block.find("\u201c".encode(), "\u201d".encode()))
    picked.update(i for i in curly if _is_uneven(block.texts[i]))
    return picked


def _count(block: Block, mask: Mask, number: int) -> Positions:
    """Return how many bytes of each message are marked."""
    owners = np.searchsorted(block.ends, np.flatnonzero(mask), side="right")
    return np.bincount(owners, minlength=number)


def _is_uneven(text: str) -> bool:
    return text.count("\u201c") != text.count("\u201d")
