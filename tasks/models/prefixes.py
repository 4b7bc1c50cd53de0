"""The order in which requests are read: a compressed prefix tree of their tokens, depth first.

Every stretch of tokens that requests share is one node of the tree and is read once. Nothing says
which requests belong together: where two of them part is found by comparing their tokens. The tree
holds each distinct token once, as 32-bit integers, so a million-token context with fifty questions
takes four megabytes and not two hundred.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.int32]


@dataclass(slots=True, eq=False)
class Node:
    """The tokens from ``start`` to ``end`` that all requests below share; ``requests`` end here."""

    start: int
    tokens: Tokens
    parent: "Node | None" = None
    children: "dict[int, Node]" = field(default_factory=dict)
    requests: list[int] = field(default_factory=list)

    @property
    def end(self) -> int:
        """Return the position after the node's last token."""
        return self.start + len(self.tokens)

    def path(self) -> Tokens:
        """Return all tokens from the root to the node's end."""
        pieces = [self.tokens]
        node = self
        while node.parent is not None:
            node = node.parent
            pieces.append(node.tokens)
        return np.concatenate(pieces[::-1])


class PrefixTree:
    """Token sequences by what they share at their beginnings.

    ``naive_tokens`` is what reading every distinct sequence from its first token would take.
    """

    def __init__(self) -> None:
        """Make an empty tree."""
        self.root = Node(0, np.empty(0, np.int32))
        self.naive_tokens = 0

    def insert(self, tokens: Tokens, request: int) -> Node:
        """Add a sequence and return the node it ends in, which stays the same as the tree grows."""
        node, at = self.root, 0
        while at < len(tokens):
            child = node.children.get(int(tokens[at]))
            if child is None:
                # A copy, lest a view keep the tokens alive that the tree already has.
                child = Node(at, tokens[at:].astype(np.int32), node)
                node.children[int(tokens[at])] = child
            shared = count_shared(child.tokens, tokens[at:])
            node = child if shared == len(child.tokens) else _split(child, shared)
            at += shared
        if not node.requests:
            self.naive_tokens += len(tokens)
        node.requests.append(request)
        return node

    def count_distinct_tokens(self) -> int:
        """Return the number of tokens in the tree: the fewest that a model must read."""
        return sum(len(node.tokens) for node in self.nodes())

    def nodes(self) -> Iterator[Node]:
        """Yield every node, parents before children."""
        pending = [self.root]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(node.children.values())


def count_shared(first: Tokens, second: Tokens) -> int:
    """Return the number of tokens at the beginning that two sequences share."""
    length = min(len(first), len(second))
    differs = first[:length] != second[:length]
    return int(differs.argmax()) if differs.any() else length


class Reader(Protocol):
    """What a walk does with a model. Its state is what the model has read so far."""

    def mark(self) -> Any:
        """Return the state, to go back to."""

    def restore(self, mark: Any) -> None:
        """Go back to a state that ``mark`` returned; more than once if need be."""

    def enter(self, node: Node) -> None:
        """Read a node that others continue, and answer the requests that end in it."""

    def finish(self, leaves: Sequence[Node], mark: Any) -> None:
        """Answer the requests of siblings that nothing continues; ``mark`` is their parent's."""


def walk(tree: PrefixTree, reader: Reader) -> None:
    """Read every node of a tree once, parents before children.

    Leaves come before the siblings that go on, and of those the smallest first: what was marked at
    a node is then forgotten before the longest way down, so a context with many branches holds one
    mark at a time.
    """
    sizes = count_below(tree)
    pending: list[tuple[Node, Any]] = [(tree.root, None)]
    while pending:
        node, mark = pending.pop()
        if mark is not None:
            reader.restore(mark)
        reader.enter(node)
        mark = reader.mark()
        leaves = [child for child in node.children.values() if not child.children]
        if leaves:
            reader.finish(leaves, mark)
        onward = [child for child in node.children.values() if child.children]
        onward.sort(key=lambda child: sizes[id(child)], reverse=True)
        pending.extend((child, mark) for child in onward)


def count_below(tree: PrefixTree) -> dict[int, int]:
    """Return, by the ``id`` of each node, the tokens of the node and of all below it."""
    sizes: dict[int, int] = {}
    for node in reversed(list(tree.nodes())):
        below = sum(sizes[id(child)] for child in node.children.values())
        sizes[id(node)] = len(node.tokens) + below
    return sizes


def _split(node: Node, at: int) -> Node:
    """Cut a node in two and return the upper part; the lower one stays the same object."""
    assert node.parent is not None
    upper = Node(node.start, node.tokens[:at], node.parent)
    node.parent.children[int(node.tokens[0])] = upper
    node.parent, node.start, node.tokens = upper, node.start + at, node.tokens[at:]
    upper.children[int(node.tokens[0])] = node
    return upper
