"""Exact and near duplicates of messages, within a context and across the contexts of a split.

Near duplicates are found by MinHash: messages that agree on a band of their signatures are
candidates, and a candidate counts when the exact Jaccard similarity of the two sets of word
3-shingles reaches ``JACCARD``. In each band a message is compared with the first message of its
bucket and with the last one before it (of another context, across contexts), so that the work
grows with the number of messages, however many are alike; the share found is a lower bound.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.audit.text.figures import LongMessages, Sessions
from personamem.dataset_builder.audit.text.words import (
    ContextWords,
    hash_ngrams,
    hash_text,
    mark_runs,
    mix,
)
from personamem.dataset_builder.core.text.places import KEPT_PLACES, Hits, Place, cut_excerpt
from personamem.dataset_builder.core.text.repeats import LONG_LETTERS

SHINGLE_WORDS = 3
JACCARD = 0.8

BAND_ROWS = 4
"""Rows of 16 bits, so that a band is one 64-bit integer."""

SIGNATURE_SIZE = 40
"""Ten bands of four: a pair at the threshold becomes a candidate with probability .995."""

_LEAST_AGREEMENT = round(0.6 * SIGNATURE_SIZE)
_PAIRS_AT_ONCE = 50_000

Rows = NDArray[np.int64]


def read_long_messages(words: ContextWords) -> LongMessages:
    """Return what is needed to compare the spoken messages of more than ``LONG_LETTERS``."""
    indices = np.array(
        [i for i, text in enumerate(words.texts) if words.spoken[i] and len(text) > LONG_LETTERS],
        dtype=np.int64,
    )
    shingles, offsets = _read_shingles(words, indices)
    return LongMessages(
        indices=indices.astype(np.int32),
        digests=np.array([hash_text(words.texts[i]) for i in indices], dtype=np.uint64),
        signatures=_sign(shingles, offsets),
        shingles=shingles,
        offsets=offsets,
        excerpts=tuple(cut_excerpt(words.texts[i]) for i in indices),
    )


def find_exact(context_id: str, long: LongMessages) -> Hits:
    """Return the messages that equal an earlier one of the same context."""
    return _make_hits([context_id], [long], ~_mark_first(long.digests))


def find_near(context_id: str, long: LongMessages) -> Hits:
    """Return the messages that nearly (or exactly) equal an earlier one of the same context."""
    groups = np.arange(len(long.indices))
    return _make_hits([context_id], [long], _mark_near(long, groups))


def find_exact_across(context_ids: Sequence[str], parts: Sequence[LongMessages]) -> Hits:
    """Return the messages that equal one of an earlier context."""
    if not parts:
        return Hits()
    digests = np.concatenate([part.digests for part in parts])
    groups = _number_groups(parts)
    order = np.argsort(digests, kind="stable")
    starts = mark_runs(digests[order])
    first_group = groups[order][starts][np.cumsum(starts) - 1]
    found = np.zeros(len(digests), np.bool_)
    found[order] = groups[order] != first_group
    return _make_hits(context_ids, parts, found)


def find_near_across(context_ids: Sequence[str], parts: Sequence[LongMessages]) -> Hits:
    """Return the messages that nearly (or exactly) equal one of an earlier context."""
    if not parts:
        return Hits()
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    joined = LongMessages(
        indices=np.concatenate([part.indices for part in parts]),
        digests=np.concatenate([part.digests for part in parts]),
        signatures=np.concatenate([part.signatures for part in parts]),
        shingles=np.concatenate([part.shingles for part in parts]),
        offsets=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
        excerpts=(),
    )
    return _make_hits(context_ids, parts, _mark_near(joined, _number_groups(parts)))


def read_sessions(words: ContextWords, session_starts: Sequence[int]) -> Sessions:
    """Hash what is said in each session; sessions in which nothing is said are left out."""
    borders = [*session_starts, len(words.texts)]
    starts: list[int] = []
    digests: list[int] = []
    excerpts: list[str] = []
    for start, end in pairwise(borders):
        said = [words.texts[i] for i in range(start, end) if words.spoken[i]]
        if said:
            starts.append(start)
            digests.append(hash_text("\x1f".join(said)))
            excerpts.append(cut_excerpt(said[0]))
    return Sessions(tuple(starts), tuple(digests), tuple(excerpts))


def find_repeated_sessions(
    context_ids: Sequence[str], parts: Sequence[Sessions]
) -> tuple[Hits, Hits]:
    """Return sessions that equal an earlier one of their own context, and of another one."""
    owners: dict[int, int] = {}
    within: list[Place] = []
    across: list[Place] = []
    for number, (context_id, part) in enumerate(zip(context_ids, parts, strict=True)):
        here: set[int] = set()
        for start, digest, excerpt in zip(part.starts, part.digests, part.excerpts, strict=True):
            place = Place(context_id, start, excerpt)
            if digest in here:
                within.append(place)
            here.add(digest)
            if owners.setdefault(digest, number) != number:
                across.append(place)
    return (
        Hits(len(within), tuple(within[:KEPT_PLACES])),
        Hits(len(across), tuple(across[:KEPT_PLACES])),
    )


def _read_shingles(words: ContextWords, indices: Rows) -> tuple[NDArray[np.uint32], Rows]:
    """Return the sorted distinct shingle hashes of each message, end to end, and where each is."""
    counts = np.maximum(0, words.ends[indices] - words.starts[indices] - SHINGLE_WORDS + 1)
    rows = np.repeat(np.arange(len(indices)), counts)
    before = np.cumsum(counts) - counts
    positions = np.arange(len(rows)) - before[rows] + words.starts[indices][rows]
    hashes = mix(hash_ngrams(words.hashes, SHINGLE_WORDS)[positions])
    keys = np.sort((rows.astype(np.uint64) << np.uint64(32)) | (hashes >> np.uint64(32)))
    keys = keys[mark_runs(keys)]
    distinct = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=len(indices))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(distinct)])
    return keys.astype(np.uint32), offsets


def _sign(shingles: NDArray[np.uint32], offsets: Rows) -> NDArray[np.uint16]:
    """Return MinHash signatures: the low bits of the least permuted hash, permutation by column."""
    signatures = np.zeros((len(offsets) - 1, SIGNATURE_SIZE), np.uint16)
    filled = np.flatnonzero(np.diff(offsets))
    if not len(filled):
        return signatures
    constants = np.random.default_rng(0).integers(0, 2**32, (SIGNATURE_SIZE, 2), np.uint32)
    for column, (factor, shift) in enumerate(constants):
        least = np.minimum.reduceat(shingles * (factor | np.uint32(1)) + shift, offsets[filled])
        signatures[filled, column] = least.astype(np.uint16)
    return signatures


def _mark_near(long: LongMessages, groups: Rows) -> NDArray[np.bool_]:
    """Return which rows are near to an earlier row of another group."""
    found = np.zeros(len(groups), np.bool_)
    filled = np.flatnonzero(np.diff(long.offsets))
    bands = np.ascontiguousarray(long.signatures).view(np.uint64)
    for band in range(SIGNATURE_SIZE // BAND_ROWS):
        order = filled[np.argsort(bands[filled, band], kind="stable")]
        starts = mark_runs(bands[order, band])
        runs = np.concatenate([[True], groups[order][1:] != groups[order][:-1]])[: len(order)]
        runs |= starts
        first = order[starts][np.cumsum(starts) - 1]
        begins = np.maximum.accumulate(np.where(runs, np.arange(len(order)), 0))
        previous = order[np.maximum(begins - 1, 0)]
        for earlier in (first, previous):
            asked = (groups[earlier] != groups[order]) & (earlier < order) & ~found[order]
            pairs = order[asked], earlier[asked]
            found[pairs[0][_verify(long, *pairs)]] = True
    return found


def _verify(long: LongMessages, left: Rows, right: Rows) -> Rows:
    """Return the positions of the pairs whose shingles are alike to ``JACCARD`` or more."""
    sizes = np.diff(long.offsets)
    alike = np.minimum(sizes[left], sizes[right]) >= JACCARD * np.maximum(sizes[left], sizes[right])
    close = np.flatnonzero(alike)
    agreement = (long.signatures[left[close]] == long.signatures[right[close]]).sum(axis=1)
    close = close[agreement >= _LEAST_AGREEMENT]
    kept = []
    for start in range(0, len(close), _PAIRS_AT_ONCE):
        piece = close[start : start + _PAIRS_AT_ONCE]
        shared = _count_shared(long, left[piece], right[piece])
        union = sizes[left[piece]] + sizes[right[piece]] - shared
        kept.append(piece[shared >= JACCARD * union])
    return np.concatenate(kept) if kept else np.zeros(0, np.int64)


def _count_shared(long: LongMessages, left: Rows, right: Rows) -> Rows:
    """Return the number of shingles that the two messages of each pair share."""
    keys = np.sort(np.concatenate([_take(long, left), _take(long, right)]))
    twice = keys[1:][keys[1:] == keys[:-1]]
    return np.bincount((twice >> np.uint64(32)).astype(np.int64), minlength=len(left))


def _take(long: LongMessages, rows: Rows) -> NDArray[np.uint64]:
    """Return the shingles of ``rows``, each with the position of its row in the high bits."""
    sizes = np.diff(long.offsets)[rows]
    owners = np.repeat(np.arange(len(rows)), sizes)
    inside = np.arange(len(owners)) - (np.cumsum(sizes) - sizes)[owners]
    taken = long.shingles[long.offsets[rows][owners] + inside].astype(np.uint64)
    keys: NDArray[np.uint64] = (owners.astype(np.uint64) << np.uint64(32)) | taken
    return keys


def _mark_first(values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return which values have no equal before them."""
    first = np.zeros(len(values), np.bool_)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def _number_groups(parts: Sequence[LongMessages]) -> Rows:
    return np.repeat(np.arange(len(parts)), [len(part.indices) for part in parts])


def _make_hits(
    context_ids: Sequence[str], parts: Sequence[LongMessages], found: NDArray[np.bool_]
) -> Hits:
    rows = np.flatnonzero(found)
    ends = np.cumsum([len(part.indices) for part in parts])
    places = []
    for row in rows[:KEPT_PLACES].tolist():
        number = int(np.searchsorted(ends, row, side="right"))
        part = parts[number]
        inside = row - (int(ends[number]) - len(part.indices))
        places.append(Place(context_ids[number], int(part.indices[inside]), part.excerpts[inside]))
    return Hits(len(rows), tuple(places))
