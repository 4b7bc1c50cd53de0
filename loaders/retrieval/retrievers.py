"""What a retriever is, and which there are by name."""

import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from personamem.loaders.formats.errors import InvalidInputError

RETRIEVERS = ("bm25", "minilm", "mpnet", "bge-m3", "random")
"""Names that ``make_retriever`` knows; a path to a model is accepted as well."""

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


class RandomRetriever:
    """Draws ``k`` texts without replacement: what a retriever without sense would score.

    The draw depends on the seed, the query and the number of texts to choose from alone.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def rank(
        self,
        corpus: Sequence[str],
        queries: Sequence[str],
        k: int,
        candidates: Candidates | None = None,
    ) -> list[tuple[int, ...]]:
        """Return ``k`` different indices for each query; see ``Retriever.rank``."""
        choices = check_request(corpus, queries, k, candidates)
        return [
            tuple(random.Random(f"{self._seed}\n{query}").sample(found, min(k, len(found))))
            for query, found in zip(queries, choices, strict=True)
        ]


def make_retriever(
    name: str, cache_folder: Path | None = None, report: Report | None = None
) -> Retriever:
    """Return the retriever of a name, or a dense one for the folder of a model.

    Args:
        name: one of ``RETRIEVERS``, or the path of a sentence-transformers model.
        cache_folder: where embeddings are kept; ``default_cache_folder()`` unless given.
        report: told about the progress of embedding.

    Raises:
        InvalidInputError: neither a name nor the folder of a model.
    """
    if name == "random":
        return RandomRetriever()
    if name == "bm25":
        from personamem.loaders.retrieval.lexical import Bm25Retriever

        return Bm25Retriever()
    from personamem.loaders.retrieval.dense import DenseRetriever
    from personamem.loaders.retrieval.models import find_model

    return DenseRetriever(find_model(name), cache_folder or default_cache_folder(), report)


def default_cache_folder() -> Path:
    """Return ``personamem/embeddings`` below XDG_CACHE_HOME, which is ``~/.cache`` by default."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "personamem" / "embeddings"


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
