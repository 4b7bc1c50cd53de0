import random
from itertools import pairwise

import pytest

from personamem.tasks.models.prefix_order import count_shared, deal_in_stretches, order_by_prefix

Prompts = list[list[int]]


def make_prompts(seed: int) -> Prompts:
    """Four contexts of up to 200 tokens, each cut at ten places, with a question of its own."""
    draw = random.Random(seed)
    contexts = [[draw.randrange(50) for _ in range(200)] for _ in range(4)]
    prompts = [
        [*context[: draw.randrange(20, 200)], *(draw.randrange(50, 99) for _ in range(10))]
        for context in contexts
        for _ in range(10)
    ]
    draw.shuffle(prompts)
    return prompts


def count_cached(prompts: Prompts, budget: int) -> int:
    """Tokens that a cache of ``budget`` tokens, least recently used out first, has ready."""
    held: dict[tuple[int, ...], None] = {}
    cached = 0
    for prompt in prompts:
        beginnings = [tuple(prompt[: end + 1]) for end in range(len(prompt))]
        cached += sum(beginning in held for beginning in beginnings)
        for beginning in reversed(beginnings):  # The tail is the oldest.
            held.pop(beginning, None)
            held[beginning] = None
        for beginning in list(held)[: max(0, len(held) - budget)]:
            del held[beginning]
    return cached


@pytest.mark.parametrize("seed", range(5))
def test_a_cache_of_one_prompt_serves_all_that_is_shared(seed: int) -> None:
    prompts = make_prompts(seed)
    distinct = {tuple(prompt[: end + 1]) for prompt in prompts for end in range(len(prompt))}
    shared = sum(map(len, prompts)) - len(distinct)
    ordered = [prompts[index] for index in order_by_prefix(prompts)]
    longest = max(map(len, prompts))
    assert count_cached(ordered, budget=longest) == shared
    assert sum(count_shared(*pair) for pair in pairwise(ordered)) == shared
    longest_first = sorted(prompts, key=len, reverse=True)
    assert count_cached(longest_first, budget=longest) < 0.6 * shared


def test_a_branch_that_ends_sooner_comes_first() -> None:
    prompts = ["one two three: C", "one: Z", "one two: B", "one two three: B", "one two: Y"]
    assert order_by_prefix(prompts) == [1, 2, 4, 3, 0]
    assert order_by_prefix([list(prompt.encode()) for prompt in prompts]) == [1, 2, 4, 3, 0]


def test_equal_prompts_and_beginnings_of_others_keep_together() -> None:
    assert order_by_prefix(["b", "ac", "a", "b", "abé", "ab", ""]) == [6, 0, 3, 2, 1, 5, 4]
    assert order_by_prefix([[1, 2], [1], [1, 2], []]) == [3, 1, 0, 2]
    assert order_by_prefix([]) == []


def test_many_nested_prompts_are_no_problem() -> None:
    assert order_by_prefix(["a" * length for length in range(3_000)]) == list(range(3_000))


@pytest.mark.parametrize(("count", "replicas"), [(7, 3), (2, 3), (0, 2), (9, 1), (8, 4)])
def test_every_replica_gets_a_stretch(count: int, replicas: int) -> None:
    order = list(range(100, 100 + count))
    dealt = deal_in_stretches(order, replicas)
    hands = [dealt[replica::replicas] for replica in range(replicas)]
    assert [index for hand in hands for index in hand] == order
    assert max(map(len, hands)) - min(map(len, hands)) <= 1


def test_shared_tokens_end_at_the_first_difference() -> None:
    assert count_shared([1, 2, 3], [1, 2, 4, 5]) == 2
    assert count_shared([1, 2], [1, 2, 3]) == 2
    assert count_shared([2], [1]) == 0
    assert count_shared([], [1]) == 0
