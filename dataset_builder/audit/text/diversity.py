"""Lexical diversity: distinct n-grams, entropy, Self-BLEU and repeated 8-grams."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.helpers import extract_all_word_ngrams
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
    counted = [extract_all_word_ngrams(tokenize(text.rstrip()), 1, _BLEU_ORDER) for text in texts]
    highest: dict[tuple[str, ...], tuple[int, int]] = {}
    for grams, _ in counted:
        for gram, count in grams.items():
            first, second = highest.get(gram, (0, 0))
            if count > second:
                highest[gram] = (count, first) if count > first else (first, count)
    lengths = [length for _, length in counted]
    scores = []
    for index, (grams, length) in enumerate(counted):
        right, total = [0] * _BLEU_ORDER, [0] * _BLEU_ORDER
        for gram, count in grams.items():
            first, second = highest[gram]
            others = second if first == count else first
            right[len(gram) - 1] += min(count, others)
            total[len(gram) - 1] += count
        others_lengths = lengths[:index] + lengths[index + 1 :]
        nearest = min(others_lengths, key=lambda other: (abs(other - length), other))
        scores.append(
            BLEU.compute_bleu(
                right, total, length, nearest, smooth_method="exp", effective_order=True
            ).score
        )
    return math.fsum(scores) / len(scores) / 100


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
