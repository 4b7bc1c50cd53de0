"""The simulated prefix cache, against one that keeps every block and token by itself."""

import importlib.util
import random
import sys
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.system

BLOCK = 16


@pytest.fixture(scope="module")
def cache(project_root: Path) -> ModuleType:
    """The module; bench/ is not installed."""
    path = project_root / "bench" / "prefix_cache.py"
    spec = importlib.util.spec_from_file_location("bench_prefix_cache", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class NaivePool:
    """Every block by its number, found by all tokens up to its end, as vLLM's chained hashes do."""

    def __init__(self, blocks: int) -> None:
        self.free = deque(range(blocks))
        self.key_of: dict[int, Hashable] = {}
        self.found: dict[Hashable, int] = {}

    def run(self, tokens: tuple[Hashable, ...]) -> int:
        """Run one prompt and return the tokens computed."""
        keys = [tokens[:end] for end in range(BLOCK, len(tokens) + 1, BLOCK)]
        held = []
        for key in keys[: (len(tokens) - 1) // BLOCK]:
            if key not in self.found:
                break
            held.append(self.found[key])
        hits = len(held)
        for block in held:
            self.free.remove(block)
        while len(held) * BLOCK < len(tokens):
            block = self.free.popleft()
            if block in self.key_of:
                del self.found[self.key_of.pop(block)]
            held.append(block)
        for block, key in zip(held[hits:], keys[hits:], strict=False):
            assert key not in self.found
            self.found[key] = block
            self.key_of[block] = key
        for block in reversed(held):
            if block in self.key_of:
                self.free.append(block)
            else:
                self.free.appendleft(block)
        return len(tokens) - hits * BLOCK


def count_naively(prompts: Iterable, budget_tokens: int) -> int:
    pool = NaivePool(budget_tokens // BLOCK)
    computed = 0
    for number, prompt in enumerate(prompts):
        prefix = [(prompt.context, i) for i in range(prompt.prefix_tokens)]
        own = [(number, prompt.context, i) for i in range(prompt.own_tokens)]
        computed += pool.run((*prefix, *own))
    return computed


def draw_prompts(cache: ModuleType, rng: random.Random) -> list:
    lengths = [rng.randint(1, 200) for _ in range(rng.randint(1, 5))]
    return [
        cache.Prompt(f"context {c}", rng.randint(0, lengths[c]), rng.randint(1, 50))
        for c in rng.choices(range(len(lengths)), k=rng.randint(1, 40))
    ]


def hold_longest(prompts: Sequence) -> int:
    return max(prompt.blocks for prompt in prompts) * BLOCK


def test_runs_of_blocks_count_what_single_blocks_count(cache: ModuleType) -> None:
    for seed in range(300):
        rng = random.Random(seed)
        prompts = draw_prompts(cache, rng)
        budget = hold_longest(prompts) + rng.randint(0, 1000)
        assert cache.count_prefill(prompts, budget) == count_naively(prompts, budget), seed


def test_our_order_meets_the_block_floor_where_the_longest_prompt_fits(cache: ModuleType) -> None:
    for seed in range(100):
        prompts = draw_prompts(cache, random.Random(seed))
        floor = cache.count_block_floor(prompts)
        ours = cache.order_by_context(prompts)
        assert cache.count_prefill(ours, hold_longest(prompts)) == floor, seed
        assert 0 <= floor - cache.count_floor(prompts) < BLOCK * len(prompts), seed


def test_no_order_beats_the_block_floor_and_unlimited_memory_meets_it(cache: ModuleType) -> None:
    for seed in range(100):
        prompts = draw_prompts(cache, random.Random(seed))
        floor = cache.count_block_floor(prompts)
        assert cache.count_prefill(prompts, 1_000_000) == floor, seed
        assert cache.count_prefill(prompts, hold_longest(prompts)) >= floor, seed


def test_interleaved_contexts_are_computed_again_where_one_fits(cache: ModuleType) -> None:
    a, b = cache.Prompt("a", 160, 16), cache.Prompt("b", 160, 16)
    assert cache.count_prefill([a, b, a, b], 176) == 4 * 176
    assert cache.count_prefill([a, a, b, b], 176) == 2 * 176 + 2 * 16
    assert cache.count_prefill([a, b, a, b], 3 * 176) == 2 * 176 + 2 * 16


def test_a_prompt_larger_than_the_budget_is_refused(cache: ModuleType) -> None:
    with pytest.raises(ValueError, match="1 blocks too small"):
        cache.count_prefill([cache.Prompt("a", 160, 1)], 160)


def test_a_prompt_without_own_tokens_is_refused(cache: ModuleType) -> None:
    with pytest.raises(ValueError, match="1 or more own tokens"):
        cache.Prompt("a", 160, 0)


def test_orders(cache: ModuleType) -> None:
    prompts = [
        cache.Prompt("b", 30, 4),
        cache.Prompt("a", 30, 5),
        cache.Prompt("b", 20, 6),
        cache.Prompt("a", 31, 3),
    ]
    assert [prompts.index(p) for p in cache.order_by_context(prompts)] == [2, 0, 1, 3]
    # As many tokens: by text; and a text is only asked for where it decides.
    texts = {0: "second", 3: "first"}
    longest_first = cache.order_longest_first(prompts, texts.__getitem__)
    assert [prompts.index(p) for p in longest_first] == [1, 3, 0, 2]
