"""Lexical diversity: distinct n-grams, entropy, Self-BLEU and repeated 8-grams."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics import BLEU
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from personamem.dataset_builder.audit.text.figures import Diversity
from personamem.dataset_builder.audit.text.words import (
    ContextWords,
    Hashes,
    count_equal,
    hash_ngrams,
    mark_runs,
)
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.core.text.places import Hits, Place, cut_excerpt

BLOCK_WORDS = 4_000
LONG_GRAM = 8
SAMPLED_MESSAGES = 178
"""As many as the official specimen has, for whose Self-BLEU there is a figure."""

SAMPLED_LETTERS = 4_000
"""A sampled message is read as far as this: the longest of the specimen is shorter."""

_BLEU_ORDER = 4


def measure_diversity(
    context_id: str, words: ContextWords, session_starts: Sequence[int], seed: int
) -> Diversity:
    """Measure what is said in one context, system messages aside."""
    blocks = list(_join_sessions(words, session_starts))
    repeated, top_share, top = _measure_repetition(context_id, words)
    return Diversity(
        dist_1=_mean([measure_distinct(block, 1) for block in blocks]),
        dist_2=_mean([measure_distinct(block, 2) for block in blocks]),
        entropy_4=_mean([measure_entropy(block, 4) for block in blocks]),
        self_bleu=measure_self_bleu(_sample_messages(context_id, words, seed)),
        repeated=repeated,
        top_share=top_share,
        top=top,
    )


def measure_distinct(hashes: Hashes, size: int) -> float | None:
    """Return distinct n-grams over all n-grams of ``size`` words (Dist-n)."""
    grams = hash_ngrams(hashes, size)
    return len(count_equal(grams)) / len(grams) if len(grams) else None


def measure_entropy(hashes: Hashes, size: int) -> float | None:
    """Return the entropy of the distribution of n-grams of ``size`` words, in nats (Ent-n)."""
    grams = hash_ngrams(hashes, size)
    if not len(grams):
        return None
    shares = count_equal(grams) / len(grams)
    return float(-(shares * np.log(shares)).sum())


def measure_self_bleu(texts: Sequence[str]) -> float | None:
    """Return the mean BLEU of each text against all the others, from 0 to 1 (Self-BLEU).

    The score is sacrebleu's sentence BLEU with effective order. Its class counts the references
    anew for every hypothesis; here n-grams are counted once, with the two highest counts of each,
    since the references of a text are all texts but itself.
    """
    if len(texts) < 2:
        return None
    tokenize = Tokenizer13a()
    tokens = [tokenize(text.rstrip()).split() for text in texts]
    lengths = np.array([len(words) for words in tokens], np.int64)
    right, total = _match_ngrams(tokens, lengths)
    # The length of a reference next to that of the text; of two, the shorter one.
    gaps = np.abs(lengths[:, None] - lengths) * (int(lengths.max()) + 1) + lengths
    np.fill_diagonal(gaps, np.iinfo(np.int64).max)
    nearest = lengths[gaps.argmin(axis=1)]
    scores = [
        BLEU.compute_bleu(
            right[:, text].tolist(),
            total[:, text].tolist(),
            int(lengths[text]),
            int(nearest[text]),
            smooth_method="exp",
            effective_order=True,
        ).score
        for text in range(len(texts))
    ]
    return math.fsum(scores) / len(scores) / 100


def _match_ngrams(
    tokens: Sequence[Sequence[str]], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many n-grams of each text another text has as often, and how many it has.

    Both are arrays of n (from 1 to ``_BLEU_ORDER``) by text.
    """
    texts = len(tokens)
    vocabulary: dict[str, int] = {}
    words = np.array(
        [vocabulary.setdefault(word, len(vocabulary)) for text in tokens for word in text], np.int64
    )
    owners = np.repeat(np.arange(texts), lengths)
    right, total = (np.zeros((_BLEU_ORDER, texts), np.int64) for _ in range(2))
    grams, count = words, len(vocabulary)
    for order in range(_BLEU_ORDER):
        if order:
            # An n-gram is the one that is shorter by a word, and that word.
            pairs = grams[:-1] * len(vocabulary) + words[order:]
            inside = owners[order:] == owners[: len(pairs)]
            found, numbers = np.unique(pairs, return_inverse=True)
            grams, count = numbers.ravel(), len(found)
        else:
            inside = np.ones(len(words), np.bool_)
        total[order] = np.bincount(owners[: len(grams)][inside], minlength=texts)
        keys, counts = np.unique(
            grams[inside] * texts + owners[: len(grams)][inside], return_counts=True
        )
        own, text = np.divmod(keys, texts)
        # The highest count of each n-gram, and the second highest, which may be equal.
        ranked = np.lexsort((-counts, own))
        starts = np.flatnonzero(np.diff(own[ranked], prepend=-1))
        highest, second = (np.zeros(count, np.int64) for _ in range(2))
        highest[own[ranked][starts]] = counts[ranked][starts]
        following = starts[starts + 1 < len(ranked)] + 1
        following = following[own[ranked][following] == own[ranked][following - 1]]
        second[own[ranked][following]] = counts[ranked][following]
        others = np.where(counts == highest[own], second[own], highest[own])
        np.add.at(right[order], text, np.minimum(counts, others))
    return right, total


def _join_sessions(words: ContextWords, session_starts: Sequence[int]) -> Iterator[Hashes]:
    """Yield the words of sessions joined to ``BLOCK_WORDS`` or more; a short rest is left out.

    A context with fewer words is one block.
    """
    said: list[Hashes] = []
    complete = False
    borders = set(session_starts)
    for index in range(len(words.texts)):
        if index in borders and sum(map(len, said)) >= BLOCK_WORDS:
            yield np.concatenate(said)
            said, complete = [], True
        if words.spoken[index]:
            said.append(words.hashes[words.starts[index] : words.ends[index]])
    if said and (not complete or sum(map(len, said)) >= BLOCK_WORDS):
        yield np.concatenate(said)


def _measure_repetition(
    context_id: str, words: ContextWords
) -> tuple[float | None, float | None, Hits]:
    """Return the share of 8-grams that repeat an earlier one, and the most frequent one."""
    grams = hash_ngrams(words.hashes, LONG_GRAM)
    first = np.repeat(words.starts, words.ends - words.starts + 1)[: len(grams)]
    inside = np.repeat(words.ends, words.ends - words.starts + 1)[: len(grams)]
    spoken = np.repeat(words.spoken, words.ends - words.starts + 1)[: len(grams)]
    positions = np.arange(len(grams))
    kept = spoken & (positions >= first) & (positions + LONG_GRAM <= inside)
    ordered = np.sort(grams[kept])
    if not len(ordered):
        return None, None, Hits()
    starts = np.flatnonzero(mark_runs(ordered))
    counts = np.diff(np.append(starts, len(ordered)))
    most = int(counts.max())
    if most < 2:
        return 0.0, most / len(ordered), Hits()
    # Among equally frequent ones, the first that is said: the order of hashes means nothing.
    tops = ordered[starts[counts == most]]
    position = int(np.flatnonzero(kept & np.isin(grams, tops))[0])
    message = int(np.searchsorted(words.ends, position))
    text = " ".join(words.tokens[position : position + LONG_GRAM])
    place = Place(context_id, message, cut_excerpt(text))
    return 1 - len(starts) / len(ordered), most / len(ordered), Hits(most, (place,))


def _sample_messages(context_id: str, words: ContextWords, seed: int) -> list[str]:
    spoken = np.flatnonzero(words.spoken).tolist()
    if len(spoken) > SAMPLED_MESSAGES:
        draw = make_rng(seed, "audit", "self-bleu", context_id)
        spoken = sorted(draw.sample(spoken, SAMPLED_MESSAGES))
    return [words.texts[index][:SAMPLED_LETTERS] for index in spoken]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None
