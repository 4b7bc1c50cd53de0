"""Recall and NDCG where several documents may each reveal what is looked for."""

import math
import random
from collections.abc import Sequence
from itertools import product

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.retrieval.measures import recall_and_ndcg


def test_recall_and_ndcg_by_hand() -> None:
    assert recall_and_ndcg("abcde", [["a"]]) == (1.0, 1.0)
    assert recall_and_ndcg("abcde", [["c"]]) == (1.0, pytest.approx(0.5))
    assert recall_and_ndcg("abcde", [["x"]]) == (0.0, 0.0)
    gain = 1 / math.log2(3) + 1 / math.log2(6)
    ideal = 1 + 1 / math.log2(3) + 0.5
    expected = (pytest.approx(2 / 3), pytest.approx(gain / ideal))
    assert recall_and_ndcg("abcde", [["b"], ["e"], ["x"]]) == expected


def test_the_ideal_ends_where_the_ranking_does() -> None:
    recall, ndcg = recall_and_ndcg("ab", [["a"], ["b"], ["c"], ["d"]])
    assert (recall, ndcg) == (0.5, pytest.approx(1.0))
    assert recall_and_ndcg("", [["a"]]) == (0.0, 0.0)


def test_any_session_that_reveals_a_value_will_do() -> None:
    assert recall_and_ndcg("abcde", [["x", "b", "a"]]) == (1.0, 1.0)
    # One session may reveal two values: then there is one session to find, or two.
    assert recall_and_ndcg("abcde", [["a", "x"], ["a", "y"]]) == (1.0, 1.0)


def try_all(retrieved: str, gold: Sequence[Sequence[str]]) -> tuple[float, float]:
    """The official definition to the letter, over all combinations."""
    recalls, ndcgs = [], []
    for chosen in product(*gold):
        needed = set(chosen)
        recalls.append(len(needed & set(retrieved)) / len(needed))
        gain = sum(1 / math.log2(i + 2) for i, s in enumerate(retrieved) if s in needed)
        ideal = sum(1 / math.log2(i + 2) for i in range(min(len(needed), len(retrieved))))
        ndcgs.append(gain / ideal)
    return max(recalls), max(ndcgs)


def test_few_combinations_give_what_all_would() -> None:
    draw = random.Random(5)
    for _ in range(2_000):
        letters = "abcdefghijkl"[: draw.randint(5, 12)]
        gold = [draw.sample(letters, draw.randint(1, 4)) for _ in range(draw.randint(1, 5))]
        retrieved = "".join(draw.sample(letters, draw.randint(1, 5)))
        assert recall_and_ndcg(retrieved, gold) == pytest.approx(try_all(retrieved, gold))


def test_many_alternatives_cost_nothing() -> None:
    gold = [[f"{value}-{session}" for session in range(50)] for value in range(12)]
    assert recall_and_ndcg(["3-7", "4-49"], gold) == (pytest.approx(2 / 12), pytest.approx(1.0))


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="at least one value"):
        recall_and_ndcg("ab", [])
    with pytest.raises(InvalidInputError, match="with a session"):
        recall_and_ndcg("ab", [["a"], []])
    with pytest.raises(InvalidInputError, match="twice: a, a"):
        recall_and_ndcg("aa", [["a"]])
