"""The prefix tree against counting by brute force, and a walk that keeps what it has read."""

import random
import sys
from collections.abc import Sequence

import numpy as np
import pytest

from personamem.tasks.models.prefixes import Node, PrefixTree, count_shared, walk


def grow(sequences: list[list[int]]) -> PrefixTree:
    tree = PrefixTree()
    for number, sequence in enumerate(sequences):
        tree.insert(np.array(sequence, np.int32), number)
    return tree


def draw_sequences(seed: int) -> list[list[int]]:
    draw = random.Random(seed)
    sequences: list[list[int]] = [[draw.randrange(3) for _ in range(12)]]
    for _ in range(40):
        beginning = draw.choice(sequences)
        beginning = beginning[: draw.randrange(len(beginning) + 1)]
        sequences.append(beginning + [draw.randrange(3) for _ in range(draw.randrange(6))])
    return sequences


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_holds_every_beginning_once(seed: int) -> None:
    sequences = draw_sequences(seed)
    tree = grow(sequences)
    beginnings = {tuple(s[: end + 1]) for s in sequences for end in range(len(s))}
    assert tree.count_distinct_tokens() == len(beginnings)
    assert tree.naive_tokens == sum(len(s) for s in set(map(tuple, sequences)))
    ends = {n: node.path().tolist() for node in tree.nodes() for n in node.requests}
    assert ends == dict(enumerate(sequences))


def test_an_insertion_returns_a_node_that_stays() -> None:
    tree = PrefixTree()
    node = tree.insert(np.array([1, 2, 3, 4], np.int32), 0)
    tree.insert(np.array([1, 2, 9], np.int32), 1)
    assert (node.start, node.end, node.path().tolist()) == (2, 4, [1, 2, 3, 4])


def test_a_tree_keeps_no_second_copy_of_what_is_shared() -> None:
    tree = PrefixTree()
    long = np.arange(10_000, dtype=np.int32)
    tree.insert(long, 0)
    node = tree.insert(np.append(long, 7), 1)
    assert node.tokens.base is None
    assert node.tokens.nbytes == 4


class RememberingReader:
    """Its state is the tokens themselves."""

    def __init__(self) -> None:
        self.state: list[int] = []
        self.read: list[list[int]] = []
        self.ended: list[int] = []
        self.marks: list[list[int]] = []

    def mark(self) -> list[int]:
        return list(self.state)

    def restore(self, mark: list[int]) -> None:
        self.state = list(mark)

    def enter(self, node: Node) -> None:
        self.state += node.tokens.tolist()
        assert self.state == node.path().tolist()
        self.read.append(node.tokens.tolist())
        self.ended += node.requests

    def finish(self, leaves: Sequence[Node], mark: list[int]) -> None:
        for leaf in leaves:
            assert not leaf.children
            self.restore(mark)
            self.enter(leaf)


@pytest.mark.parametrize("seed", range(20))
def test_a_walk_reads_every_node_once_after_its_beginning(seed: int) -> None:
    sequences = draw_sequences(seed)
    tree = grow(sequences)
    reader = RememberingReader()
    walk(tree, reader)
    assert sum(map(len, reader.read)) == tree.count_distinct_tokens()
    assert sorted(reader.ended) == list(range(len(sequences)))


def test_a_walk_takes_the_longest_way_last() -> None:
    reader = RememberingReader()
    walk(grow([[1, 2, 3, 4, 5], [1, 2, 3, 4, 6], [7, 8, 0], [7, 8, 1]]), reader)
    assert reader.ended == [2, 3, 0, 1]


def test_a_walk_goes_deeper_than_the_recursion_limit() -> None:
    reader = RememberingReader()
    depth = sys.getrecursionlimit() + 100
    tree, tokens = PrefixTree(), np.arange(depth, dtype=np.int32)
    for length in range(depth, 0, -1):
        tree.insert(tokens[:length], length)
    walk(tree, reader)
    assert reader.ended == list(range(1, depth + 1))


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [([], [1], 0), ([1, 2], [1, 2, 3], 2), ([1, 2], [1, 3], 1), ([1], [2], 0), ([1], [1], 1)],
)
def test_shared_tokens_are_counted(first: list[int], second: list[int], shared: int) -> None:
    assert count_shared(np.array(first, np.int32), np.array(second, np.int32)) == shared
