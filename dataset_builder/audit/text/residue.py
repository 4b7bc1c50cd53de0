"""Residue of templates: slots never filled, and joints where two pieces of text do not fit.

A quick filter over the words and characters of a whole context picks the few messages that could
hold a fault of some kind; ``faults`` then reads these closely. Every message is looked at.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.audit.text.articles import may_be_wrong
from personamem.dataset_builder.audit.text.faults import (
    ARTICLES,
    BRACKETS,
    CASING,
    DOUBLED,
    PAIRS,
    PUNCTUATION,
    RESIDUE_KINDS,
    SLOTS,
    SPACING,
    read_closely,
)
from personamem.dataset_builder.audit.text.figures import (
    KEPT_PLACES,
    Hits,
    Place,
    cut_excerpt,
)
from personamem.dataset_builder.audit.text.words import ContextWords, hash_text

_QUICK = {
    SLOTS: re.compile(r"[{<\[%][A-Za-z_{%|(]"),
    CASING: re.compile(r"[.!?] +[a-z]"),
    SPACING: re.compile(r" [,;!?.]\s"),
    PUNCTUATION: re.compile(r"[.,;:!?][.,;:](?!\.)"),
}
_LOWER_I_QUICK = (" i ", " i'", " i\u2019", "\ni ", "\ni'", "\ni\u2019")
_SLOT_WORDS = ("todo", "fixme", "lorem", "none", "nan")


def find_residue(context_id: str, words: ContextWords) -> Mapping[str, Hits]:
    """Return the residue of each kind in the messages of a context, system messages included."""
    places: dict[str, list[Place]] = {kind: [] for kind in RESIDUE_KINDS}
    counts = dict.fromkeys(RESIDUE_KINDS, 0)
    picked = _pick_messages(words)
    for message in sorted(set().union(*picked.values())):
        text = words.texts[message]
        kinds = [kind for kind in RESIDUE_KINDS if message in picked[kind]]
        for kind, start in read_closely(text, words.roles[message] == "user", kinds):
            counts[kind] += 1
            if counts[kind] <= KEPT_PLACES:
                places[kind].append(Place(context_id, message, cut_excerpt(text, start)))
    return {kind: Hits(counts[kind], tuple(places[kind])) for kind in RESIDUE_KINDS}


def _pick_messages(words: ContextWords) -> dict[str, set[int]]:
    """Return the messages that could hold residue, by kind."""
    picked = {kind: _locate(words.ends, found) for kind, found in _pick_words(words).items()}
    joined = "\n".join(words.texts)
    ends = np.cumsum([len(text) + 1 for text in words.texts])
    for kind, pattern in _QUICK.items():
        starts = np.array([found.start() for found in pattern.finditer(joined)], dtype=np.int64)
        picked[kind] = picked.get(kind, set()) | _locate(ends, starts)
    picked[BRACKETS] = set()
    for message, text in enumerate(words.texts):
        if _may_be_unbalanced(text):
            picked[BRACKETS].add(message)
        lower = text[:3].lstrip("*")[:1].islower() and words.roles[message] != "user"
        if lower or text[:2] in ("i ", "i'") or any(form in text for form in _LOWER_I_QUICK):
            picked[CASING].add(message)
    return picked


def _pick_words(words: ContextWords) -> dict[str, NDArray[np.int64]]:
    """Return positions of words that repeat the one before, odd articles, and words for slots."""
    hashes = words.hashes
    doubled = np.flatnonzero(hashes[1:] == hashes[:-1])
    slots = np.array([hash_text(word) for word in _SLOT_WORDS], dtype=np.uint64)
    odd = [
        position
        for article in ("a", "an")
        for position in np.flatnonzero(hashes[:-1] == np.uint64(hash_text(article))).tolist()
        if _may_be_wrong(article, words.tokens[position + 1])
    ]
    return {
        DOUBLED: np.array([i for i in doubled if words.tokens[i].isalpha()], dtype=np.int64),
        SLOTS: np.flatnonzero(np.isin(hashes, slots)),
        ARTICLES: np.array(odd, dtype=np.int64),
    }


_may_be_wrong: Callable[[str, str], bool] = lru_cache(maxsize=1 << 16)(may_be_wrong)


def _locate(ends: NDArray[np.int64], positions: NDArray[np.int64]) -> set[int]:
    """Return the messages, by the index at which each ends, in which ``positions`` stand."""
    return set(np.searchsorted(ends, positions, side="right").tolist())


def _may_be_unbalanced(text: str) -> bool:
    return text.count('"') % 2 == 1 or any(
        text.count(opening) != text.count(closing) for opening, closing in PAIRS
    )
