"""The retrievers by name."""

import os
import random
from collections.abc import Sequence
from pathlib import Path

from personamem.loaders.retrieval.ranking import Candidates, Report, Retriever, check_request

RETRIEVERS = ("bm25", "minilm", "mpnet", "bge-m3", "random")
"""Names that ``make_retriever`` knows; a path to a model is accepted as well."""


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
