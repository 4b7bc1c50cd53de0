"""Dealing rows to folds for cross-validation; no folds where there is too little to deal."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold, KFold

FOLDS = 5

Fold = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Row numbers to learn from, and to be tested on."""


def deal_groups(groups: Sequence[str]) -> list[Fold]:
    """Return folds that keep the rows of a group together."""
    numbers = number_names(groups)
    folds = min(FOLDS, len(set(groups)))
    return [] if folds < 2 else list(GroupKFold(folds).split(numbers, groups=numbers))


def deal_rows(number: int) -> list[Fold]:
    """Return folds of rows dealt singly, in random order."""
    folds = min(FOLDS, number)
    if folds < 2:
        return []
    return list(KFold(folds, shuffle=True, random_state=0).split(np.zeros(number)))


def deal_blocks(number: int) -> list[Fold]:
    """Return folds of neighbouring rows."""
    folds = min(FOLDS, number)
    return [] if folds < 2 else list(KFold(folds).split(np.zeros(number)))


def number_names(names: Sequence[str]) -> NDArray[np.int64]:
    """Return each name's place among the different ones, in alphabetical order.

    An array of the names themselves would give each the room of the longest, which may be long.
    """
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    return np.array([places[name] for name in names], dtype=np.int64)
