"""Cuts a tree of prompts into contexts with the prompts that leave them.

A spine is a way down the tree that is read into the cache once: a context up to its last question.
The prompts that leave it, each at a place of its own, are its branches; they are short, and are
read and decoded together. What leaves the spine and is long, or shares much itself, is a spine of
its own.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from personamem.tasks.models.prefixes import Node, PrefixTree, Tokens, count_below

MOST_REPEATED = 512
"""Most tokens that branches with a common beginning may read more than once, together.

Reading them apart would take one pass for the beginning, and a pass for each token of the replies.
"""


@dataclass(frozen=True, slots=True)
class Branch:
    """Prompts that end in one node of the tree.

    Attributes:
        end: the number of the spine's tokens, from the root on, that the prompts begin with.
        tokens: what follows them.
        requests: those that end in the node.
    """

    end: int
    tokens: Tokens
    requests: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spine:
    """A way down the tree.

    Attributes:
        start: the number of tokens before it, which an earlier spine has read.
        tokens: from there on.
        branches: by their ends.
    """

    start: int
    tokens: Tokens
    branches: tuple[Branch, ...]


def cut_into_spines(tree: PrefixTree, longest: int) -> Iterator[Spine]:
    """Yield the spines of a tree, in an order that lets one cache do for all of them.

    The tokens before a spine are those that the spines before it end up with, cut off at its start.
    Each request is in one branch. No branch has more than ``longest`` tokens.
    """
    sizes = count_below(tree)
    pending = [tree.root]
    while pending:
        top = pending.pop()
        nodes = _follow_largest(top, sizes)
        aside = [
            child
            for node, onward in zip(nodes, [*nodes[1:], None], strict=True)
            for child in node.children.values()
            if child is not onward
        ]
        branches = [Branch(node.end, _NOTHING, tuple(node.requests)) for node in nodes]
        for child in aside:
            if _is_worth_reading_together(child, sizes[id(child)], longest):
                branches += _flatten(child)
            else:
                # The deepest last, and thus next: reading it leaves what the others begin with.
                pending.append(child)
        tokens = np.concatenate([node.tokens for node in nodes])
        branches = [branch for branch in branches if branch.requests]
        yield Spine(top.start, tokens, tuple(sorted(branches, key=lambda branch: branch.end)))


_NOTHING = np.empty(0, np.int32)


def _follow_largest(top: Node, sizes: dict[int, int]) -> list[Node]:
    """Return the nodes on the way down that always takes the child with the most tokens below."""
    nodes = [top]
    while nodes[-1].children:
        nodes.append(max(nodes[-1].children.values(), key=lambda child: sizes[id(child)]))
    return nodes


def _flatten(child: Node) -> Iterator[Branch]:
    """Yield a branch for every node below a spine, itself included, in which requests end."""
    pending = [(child, child.tokens)]
    while pending:
        node, tokens = pending.pop()
        if node.requests:
            yield Branch(child.start, tokens, tuple(node.requests))
        pending.extend(
            (below, np.concatenate([tokens, below.tokens])) for below in node.children.values()
        )


def _is_worth_reading_together(child: Node, distinct: int, longest: int) -> bool:
    lengths = [end - child.start for end in _find_ends(child)]
    return max(lengths) <= longest and sum(lengths) - distinct <= MOST_REPEATED


def _find_ends(child: Node) -> Iterator[int]:
    """Yield where the branches of `_flatten` end, without making them: they may be long."""
    pending = [child]
    while pending:
        node = pending.pop()
        if node.requests:
            yield node.end
        pending.extend(node.children.values())
