"""Retrieval by the inner product of sentence embeddings.

The models of the paper end in a normalisation, so the inner product is the cosine. Texts longer
than a model's window are cut by the model (MiniLM reads 256 tokens), as in the official code.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError
from personamem.loaders.retrieval.cache import EmbeddingCache, Vector
from personamem.loaders.retrieval.extra import import_extra
from personamem.loaders.retrieval.models import EmbeddingModel
from personamem.loaders.retrieval.ranking import Candidates, Report, check_request, pick_best

BATCH_SIZE = 64
_BATCHES_PER_WRITE = 2


class DenseRetriever:
    """Embeds texts that no cache knows, in batches of like length, and ranks by inner product.

    The model is loaded when a text has to be embedded, and not at all if the cache knows them.
    """

    def __init__(
        self, model: EmbeddingModel, cache_folder: Path, report: Report | None = None
    ) -> None:
        self._model = model
        self._cache_folder = cache_folder
        self._report = report or (lambda done, total: None)
        self._cache: EmbeddingCache | None = None
        self._encoder: Any = None

    def rank(
        self,
        corpus: Sequence[str],
        queries: Sequence[str],
        k: int,
        candidates: Candidates | None = None,
    ) -> list[tuple[int, ...]]:
        """Return the nearest texts for each query; see ``Retriever.rank``.

        Raises:
            PersonamemError: the libraries or the model cannot be loaded.
        """
        choices = check_request(corpus, queries, k, candidates)
        if not queries:
            return []
        vectors = self.embed([*corpus, *queries])
        scores = vectors[len(corpus) :] @ vectors[: len(corpus)].T
        return [pick_best(row, found, k) for row, found in zip(scores, choices, strict=True)]

    def embed(self, texts: Sequence[str]) -> Vector:
        """Return the embeddings of texts as rows, from the cache where it knows them."""
        distinct = list(dict.fromkeys(texts))
        known = self._open_cache().find(distinct)
        # Like lengths share a batch, and the longest come first: what fits once, fits to the end.
        unknown = sorted((text for text in distinct if text not in known), key=len, reverse=True)
        step = BATCH_SIZE * _BATCHES_PER_WRITE
        for start in range(0, len(unknown), step):
            batch = unknown[start : start + step]
            vectors = dict(zip(batch, self._encode(batch), strict=True))
            self._open_cache().add(vectors)
            known.update(vectors)
            self._report(start + len(batch), len(unknown))
        return np.stack([known[text] for text in texts])

    def _encode(self, texts: list[str]) -> Vector:
        vectors: Vector = self._load_encoder().encode(
            texts, batch_size=BATCH_SIZE, convert_to_numpy=True, show_progress_bar=False
        )
        if not np.isfinite(vectors).all():
            raise PersonamemError(
                f"The model {self._model.name} gives embeddings that are not finite."
            )
        return vectors.astype(np.float32, copy=False)

    def _open_cache(self) -> EmbeddingCache:
        if self._cache is None:
            fingerprint = self._model.fingerprint()
            if fingerprint is None:
                self._load_encoder()
                fingerprint = self._model.fingerprint()
            assert fingerprint is not None
            self._cache = EmbeddingCache(self._cache_folder, fingerprint)
        return self._cache

    def _load_encoder(self) -> Any:
        if self._encoder is None:
            library = import_extra("sentence_transformers")
            from transformers.utils import logging

            logging.disable_progress_bar()
            try:
                self._encoder = library.SentenceTransformer(str(self._model.location))
            # A damaged folder fails in as many ways as there are files in it.
            except Exception as error:
                raise InvalidInputError(
                    f"The embedding model {str(self._model.location)!r} cannot be loaded: "
                    f"{_first_line(error)} Accepted: the folder of a sentence-transformers model, "
                    "or a Hub model that is cached or can be fetched."
                ) from error
        return self._encoder


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else repr(error)
