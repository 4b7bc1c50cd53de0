"""In which order prompts with common beginnings are sent to an engine that caches prefixes.

In sorted order a prompt shares with the one just before it as much as with any earlier one. An
engine that starts requests in the order of arrival, and forgets what was used longest ago, then
still has every shared beginning when it is wanted, as soon as its cache holds one whole prompt.
The longest-first order of lm-eval goes back and forth between contexts and lacks that property.

No prompt has to run ahead of the others to fill the cache: vLLM gives a block its name when it
schedules the tokens of the block, so the next prompt of the same step already finds it; and it
starts the next prompt only when the one before has got all its tokens scheduled.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np


def order_by_prefix(prompts: Sequence[Any]) -> list[int]:
    """Return the indices of ``prompts`` (texts or lists of tokens) such that prefixes are shared.

    Equal prompts keep their order.
    """
    return sorted(range(len(prompts)), key=prompts.__getitem__)


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
    """Return how many tokens two prompts have in common at their beginnings."""
    length = min(len(first), len(second))
    same = np.asarray(first[:length]) == np.asarray(second[:length])
    return length if same.all() else int(same.argmin())
