"""In which order prompts with common beginnings are sent to an engine that caches prefixes.

Prompts form a tree of beginnings. Where it is walked branch by branch, a prompt shares with the one
just before it as much as with any earlier one. An engine that starts requests in the order of
arrival, and forgets what was used longest ago, then still has every shared beginning when it is
wanted, as soon as its cache holds one whole prompt. The longest-first order of lm-eval goes back
and forth between contexts and lacks that property.

Of several branches the one that ends soonest comes first: a question in the middle of a context is
asked before the context goes on, so that even layers that remember only a window, or a state, are
still at the right place.

No prompt has to run ahead of the others to fill the cache: vLLM gives a block its name when it
schedules the tokens of the block, so the next prompt of the same step already finds it; and it
starts the next prompt only when the one before has got all its tokens scheduled.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from personamem.tasks.models import prefixes

_Branch = tuple[int, list[int]]
"""The length of the longest prompt of a branch, and its prompts in order."""


def order_by_prefix(prompts: Sequence[Any]) -> list[int]:
    """Return the indices of ``prompts`` (texts, or lists of tokens) such that prefixes are shared.

    Equal prompts keep their order.
    """
    # Sorted, the prompts are the leaves of the tree, and what neighbours share are its nodes. The
    # stack holds the nodes that may still get branches, each with its depth, the root first.
    stack: list[tuple[int, list[_Branch]]] = [(0, [])]
    previous: Any = b""
    for index in sorted(range(len(prompts)), key=prompts.__getitem__):
        prompt = _as_array(prompts[index])
        _close_below(count_shared(previous, prompt), stack)
        stack.append((len(prompt), [(len(prompt), [index])]))
        previous = prompt
    _close_below(0, stack)
    return [index for _, branches in stack for index in _join(branches)[1]]


def deal_in_stretches(order: Sequence[int], replicas: int) -> list[int]:
    """Return ``order`` rearranged so that dealing it out one by one gives each replica a stretch.

    lm-eval gives replica r the requests r, r + replicas, r + 2 * replicas ...; after this, those
    are neighbours in ``order``, and at most ``replicas - 1`` contexts are read by two of them.
    """
    least, more = divmod(len(order), replicas)
    sizes = [least + (replica < more) for replica in range(replicas)]
    starts = [sum(sizes[:replica]) for replica in range(replicas)]
    return [
        order[starts[replica] + turn]
        for turn in range(least + 1)
        for replica in range(replicas)
        if turn < sizes[replica]
    ]


def count_shared(first: Sequence[int], second: Sequence[int]) -> int:
    """Return how many tokens (or bytes) two prompts have in common at their beginnings."""
    length = min(len(first), len(second))
    return prefixes.count_shared(_as_array(first[:length]), _as_array(second[:length]))


def _as_array(prompt: Any) -> Any:
    if isinstance(prompt, str):
        prompt = prompt.encode("utf-8", "surrogatepass")  # Bytes sort as characters do.
    return np.frombuffer(prompt, np.uint8) if isinstance(prompt, bytes) else np.asarray(prompt)


def _close_below(depth: int, stack: list[tuple[int, list[_Branch]]]) -> None:
    """Make the nodes below ``depth`` a branch of a node that is there."""
    while stack[-1][0] > depth:
        _, branches = stack.pop()
        if stack[-1][0] < depth:
            stack.append((depth, []))
        stack[-1][1].append(_join(branches))


def _join(branches: list[_Branch]) -> _Branch:
    branches.sort(key=lambda branch: branch[0])
    indices = [index for _, inner in branches for index in inner]
    return max((length for length, _ in branches), default=0), indices
