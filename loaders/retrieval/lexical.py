"""BM25 over words: no stop words, no stemming."""

import re
from collections.abc import Sequence

import numpy as np

from personamem.loaders.retrieval.extra import import_extra
from personamem.loaders.retrieval.ranking import Candidates, check_request, pick_best

_WORD = re.compile(r"\w+")


class Bm25Retriever:
    """BM25 with k1 1.5, b 0.75 and Lucene's idf, ln(1 + (N - df + .5) / (df + .5))."""

    def __init__(self) -> None:
        self._bm25s = import_extra("bm25s")

    def rank(
        self,
        corpus: Sequence[str],
        queries: Sequence[str],
        k: int,
        candidates: Candidates | None = None,
    ) -> list[tuple[int, ...]]:
        """Return the best texts for each query; see ``Retriever.rank``."""
        choices = check_request(corpus, queries, k, candidates)
        words = [_words(text) for text in corpus]
        if not any(words):
            return [tuple(found[:k]) for found in choices]
        index = self._bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        index.index(words, show_progress=False)
        rankings = []
        for query, found in zip(queries, choices, strict=True):
            known = [word for word in _words(query) if word in index.vocab_dict]
            scores = index.get_scores(known) if known else np.zeros(len(corpus))
            rankings.append(pick_best(scores, found, k))
        return rankings


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
