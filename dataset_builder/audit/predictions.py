"""What policies predict, and what they knew when they did.

A policy that learns answers in stages: at each stage it knows the golds of the stages before and
nothing else. Unlike cross-validation, in which every row is learned from and tested, this leaves
the golds of a stage undisturbed by its predictions, so that ``chance`` can give exact p-values.
(Cross-validated on quads of random letters, the number of right answers of "letter by row number"
has 1.3 times the binomial standard deviation, and a binomial test refuses far too often.)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.audit.folds import Rows
from personamem.dataset_builder.core.items import Scores


class Exchange(Enum):
    """What the answers of a sound dataset may exchange without a policy's notice; see ``chance``.

    ``LETTERS``: the letters of a wording. ``PERSONAS``: the personas of a thread.
    """

    LETTERS = "letters"
    PERSONAS = "personas"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predictions of a policy for all rows.

    ``stage[i]`` is when row i is answered (if it is ``tested``) and its gold becomes known: what
    decides ``scores[i]`` are columns, texts, and golds of rows with a lower stage.
    """

    scores: Scores
    stage: Rows
    tested: NDArray[np.bool_]
    exchange: Exchange = Exchange.LETTERS


def predict_at_once(scores: Scores) -> Prediction:
    """Return the prediction of a policy that learns nothing from golds."""
    return Prediction(scores, np.zeros(len(scores), np.int64), np.ones(len(scores), np.bool_))


def predict_in_stages(
    options: Sequence[int],
    folds: Sequence[Rows],
    answer: Callable[[Rows, Rows], Iterator[tuple[int, NDArray[np.float64]]]],
) -> Prediction:
    """Return the prediction of a policy that learns on some folds and answers the next.

    ``options[i]`` is the number of options of row i. ``answer(known, asked)`` yields rows of
    ``asked`` with their scores; it may leave some out. The first fold is not tested.
    """
    scores: Scores = [np.zeros(number) for number in options]
    stage = np.zeros(len(options), np.int64)
    tested = np.zeros(len(options), np.bool_)
    for number, asked in enumerate(folds):
        stage[asked] = number
        if number:
            for row, values in answer(np.concatenate(folds[:number]), asked):
                scores[row], tested[row] = values, True
    return Prediction(scores, stage, tested)
