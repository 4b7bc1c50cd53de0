"""Retrievers over texts: BM25, random, and what they refuse."""

import sys

import pytest

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError
from personamem.loaders.retrieval import RandomRetriever, Retriever, make_retriever
from personamem.loaders.retrieval.lexical import Bm25Retriever

CORPUS = [
    "The cat sleeps on the warm stove.",
    "Trains to Ghent leave every hour.",
    "A cat and another cat, and a third cat.",
    "Nothing to see here.",
]


def test_bm25_ranks_by_words() -> None:
    (first, second) = Bm25Retriever().rank(CORPUS, ["Ghent: trains?", "CAT"], 2)
    assert first[0] == 1
    assert second == (2, 0)


def test_bm25_has_lucene_scores() -> None:
    # "cat" is in two of three texts, of 2, 4 and 2 words: the shorter text has the higher score.
    assert Bm25Retriever().rank(["dog bird", "cat a b c", "cat x"], ["cat"], 3) == [(2, 1, 0)]
    # No stemming and no stop words: "the" is a word like any other, "trains" is not "train".
    assert Bm25Retriever().rank(["a train", "of the", "in a"], ["the trains"], 1) == [(1,)]


def test_ties_and_queries_without_a_known_word_keep_the_order_of_the_corpus() -> None:
    assert (
        Bm25Retriever().rank(["b x", "b x", "b x"], ["b", "zebra", "", "?!"], 3) == [(0, 1, 2)] * 4
    )
    assert Bm25Retriever().rank(["?!", "..."], ["b"], 1) == [(0,)]


def test_random_is_repeatable_and_without_repetition() -> None:
    queries = [f"query {number}" for number in range(40)]
    corpus = [str(number) for number in range(10)]
    rankings = RandomRetriever(seed=3).rank(corpus, queries, 4)
    assert rankings == RandomRetriever(seed=3).rank(corpus, queries, 4)
    assert rankings != RandomRetriever(seed=4).rank(corpus, queries, 4)
    assert {len(set(ranking)) for ranking in rankings} == {4}
    assert {index for ranking in rankings for index in ranking} == set(range(10))


@pytest.mark.parametrize("retriever", [Bm25Retriever(), RandomRetriever()], ids=["bm25", "random"])
def test_small_and_empty_corpora(retriever: Retriever) -> None:
    (ranking,) = retriever.rank(CORPUS, ["cat"], 9)
    assert sorted(ranking) == [0, 1, 2, 3]
    assert retriever.rank(CORPUS, [], 2) == []
    with pytest.raises(InvalidInputError, match="corpus is empty"):
        retriever.rank([], ["cat"], 2)
    with pytest.raises(InvalidInputError, match="k is 0"):
        retriever.rank(CORPUS, ["cat"], 0)


@pytest.mark.parametrize("retriever", [Bm25Retriever(), RandomRetriever()], ids=["bm25", "random"])
def test_a_query_finds_its_candidates_alone(retriever: Retriever) -> None:
    candidates = [[0, 1], [1, 3], [2]]
    rankings = retriever.rank(CORPUS, ["cat"] * 3, 2, candidates)
    assert [sorted(ranking) for ranking in rankings] == candidates
    with pytest.raises(InvalidInputError, match="corpus is empty"):
        retriever.rank(CORPUS, ["cat", "cat"], 2, [[0], []])


def test_candidates_have_their_own_scores() -> None:
    corpus = ["a", "b", "cat", "cat cat b"]
    assert Bm25Retriever().rank(corpus, ["cat"], 1, [[1, 3]]) == [(3,)]


def test_candidates_are_ranked_with_the_weights_of_the_whole_corpus() -> None:
    corpus = ["cat x", "ghent x", "cat x", "cat x"]
    assert Bm25Retriever().rank(corpus, ["cat ghent"], 1, [[0, 1]]) == [(1,)]
    assert Bm25Retriever().rank(corpus[:2], ["cat ghent"], 1) == [(0,)]


def test_retrievers_by_name() -> None:
    assert isinstance(make_retriever("random"), RandomRetriever)
    assert isinstance(make_retriever("bm25"), Bm25Retriever)
    with pytest.raises(InvalidInputError, match=r"'minlm'.*Did you mean 'minilm'.*bge-m3.*folder"):
        make_retriever("minlm")


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(PersonamemError, match=r"bm25s.*pip install personamem\[rag\]"):
        make_retriever("bm25")
