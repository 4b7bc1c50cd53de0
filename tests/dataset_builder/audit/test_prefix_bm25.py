"""BM25 over the beginning of a context, from one index of the whole."""

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest

from personamem.dataset_builder.audit.prefix_bm25 import K1, B, Postings, find_words
from personamem.loaders.formats.schema import Message

WORDS = ["".join(Random(i).choices("abcdefghijklmnopqrstuvwxyz", k=4 + i % 5)) for i in range(300)]


def score_plainly(texts: Sequence[str], query: Sequence[str]) -> list[float]:
    """BM25 as its formula reads."""
    documents = [Counter(find_words(text)) for text in texts]
    mean = sum(sum(document.values()) for document in documents) / len(documents)
    scores = []
    for document in documents:
        total = 0.0
        for word in set(query):
            holders = sum(word in other for other in documents)
            idf = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
            length = sum(document.values())
            count = document[word]
            total += idf * count / (count + K1 * (1 - B + B * length / mean)) if count else 0.0
        scores.append(total)
    return scores


def make_texts() -> tuple[list[str], list[str]]:
    random = Random(5)
    texts = [" ".join(random.choices(WORDS[:40], k=random.randint(1, 50))) for _ in range(30)]
    return texts, random.choices([*WORDS[:60], "never-said"], k=12)


def as_messages(texts: Sequence[str]) -> list[Message]:
    return [{"role": "user", "content": text} for text in texts]


@pytest.mark.parametrize("end", [1, 2, 17, 30])
def test_bm25_of_a_prefix_is_that_of_its_messages_alone(end: int) -> None:
    texts, query = make_texts()
    prefix = Postings(as_messages(texts), query).cut(end)
    assert prefix.score(query).tolist() == pytest.approx(score_plainly(texts[:end], query))


def test_bm25_is_that_of_bm25s() -> None:
    bm25s = pytest.importorskip("bm25s")
    texts, words = make_texts()
    query = sorted(set(words) & set(find_words(" ".join(texts))))
    retriever = bm25s.BM25(method="lucene", k1=K1, b=B, dtype="float64")
    retriever.index([find_words(text) for text in texts], show_progress=False)
    ours = Postings(as_messages(texts), query).cut(30).score(query)
    assert ours == pytest.approx(retriever.get_scores(query), rel=1e-6)
