"""Exact p-values of right answers against chance, on rows that are not independent.

The rows of a quad hold each letter once, a pair before and after an update shares its options, and
the quads of a thread share the rotation of the personas. So right answers are no binomial variable:
a policy with one answer for a whole quad is right exactly once in four, and one that answers a, b,
c, d to the four rows has a variance of 1 a quad where the binomial's is 3/4. What is known instead
is what may be *exchanged* in a sound dataset without a change of its distribution:

* ``Exchange.LETTERS``: the order of a wording's options is drawn at random, independently of
  everything else. So any of the 24 renamings of its letters, done to the golds of all its rows at
  once, was as likely. (In a release without quads a wording mostly has one row: then this says that
  each letter was as likely.)
* ``Exchange.PERSONAS``: which persona of a thread has which rotation is drawn at random. So any of
  the 24 exchanges of the personas' golds, in all quads of the thread at once, was as likely. It
  serves policies on the alphabetical order of options, which no order of letters protects.

Units (wordings, threads) are independent of each other. Given what a policy predicts, each unit
thus has 24 equally likely numbers of right answers; where some letters of a wording are known from
an earlier stage, only the renamings that keep those count. The distribution of the sum is their
convolution, and the tail from the observed number up is an exact p-value of the stage, given all
earlier stages. Such p-values are independent or more conservative, so the stages are combined by
Fisher's method, -2 sum(ln p) against chi-square with two degrees of freedom a stage.

Where nothing can vary, as for text policies on quads that are whole, there is no test: the figure
is 25 % by construction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import lcm

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.stats import chi2

from personamem.dataset_builder.audit.predictions import Exchange, Prediction
from personamem.dataset_builder.core.items import Item, Scores
from personamem.loaders.formats.schema import LETTERS

SIZE = len(LETTERS)
SMALLEST_P = 1e-12
"""The tail of a convolution by Fourier transform is exact to about this."""

_TIE = 1e-12
"""Scores that differ by less are equal."""

_ORDERS = np.array(list(permutations(range(SIZE))))
_SLOTS = np.arange(SIZE)

Values = NDArray[np.int64]
"""A row a unit: the number of right answers, in parts, under each of the 24 exchanges."""


@dataclass(frozen=True, slots=True)
class _Units:
    """Units of some rows: ``values`` under each exchange, ``observed`` as it is, and the stage."""

    values: NDArray[np.float64]
    observed: NDArray[np.float64]
    stage: NDArray[np.int64]


def credit(items: Sequence[Item], scores: Scores) -> list[float]:
    """Return each question's credit: 1 over the number of best options, if the gold is one."""
    credits = []
    for item, row in zip(items, scores, strict=True):
        best = row >= row.max() - _TIE
        credits.append(1.0 / np.count_nonzero(best) if best[item.gold] else 0.0)
    return credits


def spread_credits(scores: Scores) -> NDArray[np.float64]:
    """Return what each option of a question (a row) would earn as its gold."""
    table = np.array(scores)
    best = table >= table.max(axis=1, keepdims=True) - _TIE
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares


class ChanceTest:
    """Holds predictions on the questions of a part against chance.

    Questions have ``SIZE`` options each, as every release has.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        """Find the wordings, and the threads that all four personas are asked about alike."""
        self._golds = np.array([item.gold for item in items], np.int64)
        numbers: dict[tuple[str, tuple[str, ...]], int] = {}
        self._wordings = np.array(
            [numbers.setdefault((item.question, item.options), len(numbers)) for item in items],
            np.int64,
        )
        self._threads = _find_threads(items)

    def find_p_value(self, prediction: Prediction, rows: NDArray[np.bool_]) -> float | None:
        """Return how likely so many right answers of tested ``rows`` are in a sound dataset.

        None where their number cannot vary.
        """
        chosen = np.flatnonzero(rows & prediction.tested)
        if not len(chosen):
            return None
        credits = spread_credits([prediction.scores[row] for row in chosen])
        parts = lcm(*np.unique(np.rint(1 / credits.max(axis=1)).astype(int)).tolist())
        units = self._exchange(prediction, chosen, credits * parts)
        found = []
        for stage in np.unique(units.stage):
            here = units.stage == stage
            values = np.rint(units.values[here]).astype(np.int64)
            p_value = find_tail(values, int(np.rint(units.observed[here].sum())))
            if p_value is not None:
                found.append(p_value)
        return _combine_fisher(found)

    def _exchange(
        self, prediction: Prediction, chosen: NDArray[np.int64], credits: NDArray[np.float64]
    ) -> _Units:
        if prediction.exchange is Exchange.LETTERS:
            return self._exchange_letters(prediction, chosen, credits)
        table = np.zeros((len(self._golds), SIZE))
        table[chosen] = credits
        left = np.zeros(len(self._golds), np.bool_)
        left[chosen] = True
        matrices, stages = [], []
        for members in self._threads:
            asked = members[:, left[members].all(axis=0)]
            if asked.size and len(set(prediction.stage[asked].ravel().tolist())) == 1:
                # What persona p earns in the quads of the thread with the golds of persona q.
                matrices.append(table[asked[:, None], self._golds[asked[None, :]]].sum(axis=-1))
                stages.append(prediction.stage[asked[0, 0]])
                left[asked] = False
        rest = np.flatnonzero(left)
        units = self._exchange_letters(prediction, rest, table[rest])
        if not matrices:
            return units
        stacked = np.array(matrices)
        return _Units(
            np.concatenate([units.values, _permute(stacked)]),
            np.concatenate([units.observed, np.trace(stacked, axis1=1, axis2=2)]),
            np.concatenate([units.stage, np.array(stages, np.int64)]),
        )

    def _exchange_letters(
        self, prediction: Prediction, chosen: NDArray[np.int64], credits: NDArray[np.float64]
    ) -> _Units:
        pairs = np.stack([self._wordings[chosen], prediction.stage[chosen]], axis=1)
        units, of_row = np.unique(pairs, axis=0, return_inverse=True)
        # What rows of a unit with gold a would earn if their gold were b.
        matrices = np.zeros((len(units), SIZE, SIZE))
        np.add.at(matrices, (of_row.ravel(), self._golds[chosen]), credits)
        count = int(self._wordings.max(initial=0)) + 1
        first_known = np.full((count, SIZE), np.iinfo(np.int64).max)
        np.minimum.at(first_known, (self._wordings, self._golds), prediction.stage)
        known = first_known[units[:, 0]] < units[:, 1, None]
        return _Units(
            _keep_known(_permute(matrices), known),
            np.trace(matrices, axis1=1, axis2=2),
            units[:, 1],
        )


def find_tail(values: Values, observed: int) -> float | None:
    """Return the chance that the units together reach ``observed``; None if they cannot vary.

    Each unit takes one of its ``values`` (a row) with equal chance, independently of the others.
    """
    lowest = values.min(axis=1, keepdims=True)
    laws, counts = np.unique(np.sort(values - lowest, axis=1), axis=0, return_counts=True)
    size = int((laws[:, -1] * counts).sum()) + 1
    if size == 1:
        return None
    length = next_fast_len(size, real=True)
    spectrum = np.ones(length // 2 + 1, np.complex128)
    for law, count in zip(laws, counts, strict=True):
        spectrum *= rfft(np.bincount(law) / len(law), length) ** count
    excess = observed - int(lowest.sum())
    return float(np.clip(irfft(spectrum, length)[max(0, excess) : size].sum(), SMALLEST_P, 1.0))


def _permute(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each matrix the sums of its entries under all orders of the columns."""
    sums: NDArray[np.float64] = matrices[:, _SLOTS, _ORDERS].sum(axis=-1)
    return sums


def _keep_known(values: NDArray[np.float64], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Repeat the values of orders that leave ``known`` letters in place, instead of the others."""
    allowed = ((_ORDERS == _SLOTS) | ~known[:, None, :]).all(axis=-1)
    first = np.argsort(~allowed, axis=1, kind="stable")
    turns = np.arange(len(_ORDERS)) % allowed.sum(axis=1, keepdims=True)
    return np.take_along_axis(values, np.take_along_axis(first, turns, axis=1), axis=1)


def _combine_fisher(p_values: Sequence[float]) -> float | None:
    if len(p_values) < 2:
        return p_values[0] if p_values else None
    return float(chi2.sf(-2 * np.log(p_values).sum(), 2 * len(p_values)))


def _find_threads(items: Sequence[Item]) -> list[NDArray[np.int64]]:
    """Return the groups in which each quad asks the same four personas once: personas x quads."""
    groups: dict[str, dict[str, dict[int, int]]] = {}
    twice: set[str] = set()
    for row, item in enumerate(items):
        if item.quad:
            asked = groups.setdefault(item.group, {}).setdefault(item.quad, {})
            if item.persona in asked:
                twice.add(item.group)
            asked[item.persona] = row
    threads = []
    for name, quads in groups.items():
        personas = sorted(next(iter(quads.values())))
        if (
            name not in twice
            and len(personas) == SIZE
            and all(sorted(asked) == personas for asked in quads.values())
        ):
            threads.append(np.array([[asked[p] for asked in quads.values()] for p in personas]))
    return threads
