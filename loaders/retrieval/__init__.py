"""Retrievers over short texts: BM25, dense embeddings with a cache on disk, random.

Sessions of any dataset are handed in as texts; the libraries come with ``personamem[rag]``.
"""

from personamem.loaders.retrieval.ranking import Retriever
from personamem.loaders.retrieval.retrievers import RETRIEVERS, RandomRetriever, make_retriever

__all__ = ["RETRIEVERS", "RandomRetriever", "Retriever", "make_retriever"]
