"""Dealing rows to folds, so that a policy learns on some folds and answers the next."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold

Rows = NDArray[np.int64]
"""Row numbers."""


def deal_groups(groups: Sequence[str], number: int) -> list[Rows]:
    """Return up to ``number`` folds that keep the rows of a group together."""
    names = number_names(groups)
    folds = min(number, len(set(groups)))
    if folds < 2:
        return [np.arange(len(groups))]
    return [tested for _, tested in GroupKFold(folds).split(names, groups=names)]


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
