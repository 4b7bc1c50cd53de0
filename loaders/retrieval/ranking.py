"""What a retriever is, and what every one of them does: check a request, pick the best texts."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from personamem.loaders.formats.errors import InvalidInputError

Report = Callable[[int, int], None]
"""Called with (texts embedded, texts to embed) while a retriever works."""

Scores = npt.NDArray[np.floating[Any]]

Candidates = Sequence[Sequence[int]]
"""For each query the indices of the texts that it may find, in the order of the corpus."""


class Retriever(Protocol):
    """Ranks the texts of a corpus for queries."""

    def rank(
        self,
        corpus: Sequence[str],
        queries: Sequence[str],
        k: int,
        candidates: Candidates | None = None,
    ) -> list[tuple[int, ...]]:
        """Return, for each query, the indices of the best ``k`` texts, best first.

        Texts with equal scores are in the order of the corpus. Of less than ``k`` texts all are
        returned. Each query may find all texts, or its ``candidates``: so one index of a history
        serves questions that were asked at different times. How rare a word is (BM25) is counted
        over the whole corpus even then.

        Raises:
            InvalidInputError: the corpus or a query's candidates are empty, or ``k`` is below 1.
        """


def check_request(
    corpus: Sequence[str], queries: Sequence[str], k: int, candidates: Candidates | None
) -> Candidates:
    """Return for each query the indices of the texts that it may find.

    Raises:
        InvalidInputError: there are none, or ``k`` is below 1.
    """
    choices = [range(len(corpus))] * len(queries) if candidates is None else candidates
    if not corpus or not all(choices):
        raise InvalidInputError("The corpus is empty: there is nothing to retrieve from.")
    if k < 1:
        raise InvalidInputError(f"k is {k}. Accepted: 1 or more.")
    return choices


def pick_best(scores: Scores, choices: Sequence[int], k: int) -> tuple[int, ...]:
    """Return the indices of the ``k`` best of ``choices``, best first, equal ones in their order.

    Args:
        scores: of all texts, higher is better; one-dimensional.
        choices: indices of texts.
        k: how many to return at most.
    """
    chosen = np.asarray(choices)
    order = np.argsort(-scores[chosen], kind="stable")[:k]
    return tuple(chosen[order].tolist())
