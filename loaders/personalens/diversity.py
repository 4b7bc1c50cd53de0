"""Lexical diversity of messages: Dist-1, Dist-2, Ent-4 and Self-BLEU, as LAPS measures them.

After Joko et al. 2024 (LAPS), whose measures the paper of PersonaLens reports in Table 10. All
messages are shuffled 100 times (seed 42); each time those are taken that come to 7,012 tokens, the
last one cut to fit; figures are means over these samples. That makes sets of different sizes
comparable, and no figure comparable with one over a whole set.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

SAMPLE_TOKENS = 7_012
SAMPLES = 100
SEED = 42
_ORDERS = 4
_SMOOTHING = 0.1
"""What stands for a count of zero (method 1 of Chen and Cherry 2014)."""

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Diversity:
    """Means over samples. ``tokens`` and ``messages`` count what was there to sample from.

    LAPS takes Self-BLEU over characters, since its code does not split texts into words; over
    words, figures are much lower.
    """

    messages: int
    tokens: int
    dist_1: float
    dist_2: float
    ent_4: float
    self_bleu_characters: float
    self_bleu_words: float


def measure_diversity(
    messages: Sequence[str], sample_tokens: int = SAMPLE_TOKENS, samples: int = SAMPLES
) -> Diversity:
    """Return the diversity of messages; figures that cannot be are NaN.

    A set that has no more than ``sample_tokens`` whitespace tokens is one sample.
    """
    tokens = sum(len(message.split()) for message in messages)
    if tokens <= sample_tokens:
        samples = min(samples, 1)
    drawn = list(draw_samples(messages, sample_tokens, samples))

    def mean(measure: Callable[[Sequence[str]], float]) -> float:
        return math.fsum(map(measure, drawn)) / len(drawn) if drawn else math.nan

    return Diversity(
        messages=len(messages),
        tokens=tokens,
        dist_1=mean(lambda sample: measure_distinct(sample, 1)),
        dist_2=mean(lambda sample: measure_distinct(sample, 2)),
        ent_4=mean(lambda sample: measure_entropy(sample, 4)),
        self_bleu_characters=mean(lambda sample: measure_self_bleu(sample, words=False)),
        self_bleu_words=mean(lambda sample: measure_self_bleu(sample, words=True)),
    )


def draw_samples(messages: Sequence[str], tokens: int, samples: int) -> Iterator[list[str]]:
    """Yield samples of messages of so many whitespace tokens each, the last message cut to fit."""
    order = [message for message in messages if message.split()]
    random = Random(SEED)
    for _ in range(samples if order else 0):
        random.shuffle(order)
        left, sample = tokens, []
        for message in order:
            words = message.split()
            sample.append(message if len(words) <= left else " ".join(words[:left]))
            left -= len(words)
            if left <= 0:
                break
        yield sample


def measure_distinct(messages: Sequence[str], order: int) -> float:
    """Return the share of distinct n-grams among all; n-grams do not cross messages.

    Lower case, full stops and line breaks removed, split at single spaces.
    """
    grams: Counter[tuple[str, ...]] = Counter()
    for message in messages:
        words = message.lower().replace(".", "").replace("\n", "").split(" ")
        grams.update(zip(*(words[start:] for start in range(order)), strict=False))
    return len(grams) / grams.total() if grams else math.nan


def measure_entropy(messages: Sequence[str], order: int) -> float:
    """Return the entropy, in nats, of the n-grams of whitespace tokens in lower case."""
    grams: Counter[tuple[str, ...]] = Counter()
    for message in messages:
        words = message.lower().split()
        grams.update(zip(*(words[start:] for start in range(order)), strict=False))
    total = grams.total()
    return -math.fsum(n / total * math.log(n / total) for n in grams.values()) if grams else 0.0


def measure_self_bleu(messages: Sequence[str], words: bool) -> float:
    """Return the mean BLEU-4 of each message against all others; NaN for fewer than two.

    Equal weights, the brevity penalty against the nearest length, lower case. Over words or over
    characters.
    """
    if len(messages) < 2:
        return math.nan
    texts = [message.lower() for message in messages]
    units: list[Sequence[str]] = [text.split() if words else text for text in texts]
    lengths = np.array([len(text) for text in units])
    flat = np.array([unit for text in units for unit in text])
    _, ids = np.unique(flat, return_inverse=True)
    owners = np.repeat(np.arange(len(units)), lengths)
    logs = np.zeros(len(units))
    none_shared = np.zeros(len(units), dtype=bool)
    codes, base = np.zeros(len(ids), dtype=np.int64), int(ids.max()) + 1
    for order in range(1, _ORDERS + 1):
        size = max(0, len(ids) - order + 1)
        # Codes of n-grams that are renumbered for each order stay far below 2**63.
        codes = codes[:size] * base + ids[order - 1 :]
        whole = owners[:size] == owners[order - 1 :]
        codes = np.unique(codes, return_inverse=True)[1]
        matches = _count_matches(codes[whole], owners[:size][whole], len(units))
        totals = np.maximum(1, lengths - order + 1)
        logs += np.log(np.where(matches > 0, matches, _SMOOTHING) / totals) / _ORDERS
        if order == 1:
            none_shared = matches == 0
    scores = np.exp(logs) * _penalise_brevity(lengths)
    return float(np.where(none_shared, 0.0, scores).mean())


def _count_matches(grams: Ids, owners: Ids, size: int) -> NDArray[np.float64]:
    """Return for each message how many of its n-grams another one has, clipped as in BLEU."""
    if not len(grams):
        return np.zeros(size)
    pairs, counts = np.unique(grams * size + owners, return_counts=True)
    grams, owners = pairs // size, pairs % size
    # The highest count of each n-gram comes first, the second highest next.
    order = np.lexsort((-counts, grams))
    grams, owners, counts = grams[order], owners[order], counts[order]
    first = np.flatnonzero(np.r_[True, grams[1:] != grams[:-1]])
    ends = np.r_[first[1:], len(grams)]
    second = np.where(first + 1 < ends, counts[np.minimum(first + 1, len(counts) - 1)], 0)
    rivals = counts[first][np.repeat(np.arange(len(first)), ends - first)]
    rivals[first] = second
    clipped = np.minimum(counts, rivals).astype(np.float64)
    return np.bincount(owners, weights=clipped, minlength=size).astype(np.float64)


def _penalise_brevity(lengths: Ids) -> NDArray[np.float64]:
    far = int(lengths.max()) + 1
    gaps = np.abs(lengths[:, None] - lengths[None, :])
    np.fill_diagonal(gaps, far)
    # Of two lengths that are equally near, the shorter one counts.
    nearest = lengths[np.argmin(gaps * far + lengths[None, :], axis=1)]
    known = np.maximum(lengths, 1)
    penalties = np.where(lengths > nearest, 1.0, np.exp(1 - nearest / known))
    return np.where(lengths == 0, 0.0, penalties)
