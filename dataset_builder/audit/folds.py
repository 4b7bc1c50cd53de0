"""Dealing rows to folds, so that a policy learns on some folds and answers the next."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from personamem.dataset_builder.core.rng import make_rng

Rows = NDArray[np.int64]
"""Row numbers."""


def deal_groups(groups: Sequence[str], number: int) -> list[Rows]:
    """Return up to ``number`` folds that keep the rows of a group together.

    The largest groups are dealt first, each to the fold with the fewest rows; which of two groups
    of a size is first is drawn at random. Were it decided by their names, groups named in the order
    of their rows would put the row before into the same neighbouring fold everywhere.
    """
    sizes = Counter(groups)
    folds = min(number, len(sizes))
    if folds < 2:
        return [np.arange(len(groups))]
    names = list(sizes)
    make_rng(0, "folds").shuffle(names)
    loads = [0] * folds
    fold_of = {}
    for name in sorted(names, key=sizes.__getitem__, reverse=True):
        fold_of[name] = loads.index(min(loads))
        loads[fold_of[name]] += sizes[name]
    of_row = np.array([fold_of[name] for name in groups], np.int64)
    return [np.flatnonzero(of_row == fold) for fold in range(folds)]


def deal_rows(rows: int, number: int) -> list[Rows]:
    """Return up to ``number`` folds of rows dealt singly, in random order."""
    folds = min(number, rows)
    if folds < 2:
        return [np.arange(rows)]
    splits = KFold(folds, shuffle=True, random_state=0).split(np.zeros(rows))
    return [tested for _, tested in splits]


def number_names(names: Sequence[str]) -> Rows:
    """Return each name's place among the different ones, in alphabetical order.

    An array of the names themselves would give each the room of the longest, which may be long.
    """
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    return np.array([places[name] for name in names], dtype=np.int64)
