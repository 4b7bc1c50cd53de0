"""Caches that can be brought back, and those that are refused by name."""

from typing import Any

import pytest
import torch
from transformers import cache_utils

from personamem.tasks.models.caches import (
    CacheError,
    can_repeat,
    measure_cache,
    repeat_cache,
    restore_snapshot,
    take_snapshot,
)


def fill(cache: Any, tokens: int) -> None:
    for number in range(len(cache.layers) or 2):
        states = torch.randn(1, 2, tokens, 4)
        cache.update(states, states + 1, number)


def test_a_growing_cache_is_cut_without_a_copy() -> None:
    cache = cache_utils.DynamicCache()
    fill(cache, 5)
    keys = cache.layers[1].keys
    snapshot = take_snapshot(cache)
    assert not any(
        isinstance(value, torch.Tensor) for _, kept in snapshot.layers for value in kept.values()
    )
    fill(cache, 3)
    restore_snapshot(cache, snapshot)
    assert cache.get_seq_length() == 5
    assert torch.equal(cache.layers[1].keys, keys)


def test_a_half_read_chunk_is_taken_back() -> None:
    cache = cache_utils.DynamicCache()
    fill(cache, 5)
    snapshot = take_snapshot(cache)
    states = torch.randn(1, 2, 3, 4)
    cache.update(states, states, 0)
    restore_snapshot(cache, snapshot)
    assert [layer.get_seq_length() for layer in cache.layers] == [5, 5]


def test_a_window_that_has_passed_is_brought_back_again_and_again() -> None:
    cache = cache_utils.DynamicCache()
    cache.layers = [cache_utils.DynamicSlidingWindowLayer(sliding_window=4)]
    fill(cache, 9)
    keys = cache.layers[0].keys.clone()
    snapshot = take_snapshot(cache)
    for _ in range(2):
        fill(cache, 6)
        restore_snapshot(cache, snapshot)
        assert cache.get_seq_length() == 9
        assert torch.equal(cache.layers[0].keys, keys)


def test_a_state_that_is_overwritten_is_brought_back_again_and_again() -> None:
    cache = cache_utils.DynamicCache()
    cache.layers = [cache_utils.LinearAttentionLayer()]
    cache.update_recurrent_state(torch.ones(1, 2), 0)
    snapshot = take_snapshot(cache)
    for _ in range(2):
        cache.update_recurrent_state(torch.zeros(1, 2), 0)
        restore_snapshot(cache, snapshot)
        assert torch.equal(cache.layers[0].recurrent_states[0], torch.ones(1, 2))


def test_a_repeated_cache_leaves_the_one_as_it_was() -> None:
    cache = cache_utils.DynamicCache()
    cache.layers = [cache_utils.DynamicLayer(), cache_utils.LinearAttentionLayer()]
    states = torch.randn(1, 2, 5, 4)
    cache.update(states, states, 0)
    cache.update_recurrent_state(torch.ones(1, 2), 1)
    assert measure_cache(cache) == 2 * states.numel() * 4 + 8
    assert can_repeat(cache)
    repeated = repeat_cache(cache, 3)
    repeated.update(states.repeat(3, 1, 1, 1), states.repeat(3, 1, 1, 1), 0)
    repeated.update_recurrent_state(torch.zeros(3, 2), 1)
    assert cache.layers[0].keys.shape == (1, 2, 5, 4)
    assert torch.equal(cache.layers[1].recurrent_states[0], torch.ones(1, 2))


class OwnCache(cache_utils.DynamicCache):
    """A cache whose class may keep anything anywhere."""


class OwnLayer(cache_utils.DynamicLayer):
    """A layer that keeps what nobody knows how to copy."""

    def __init__(self) -> None:
        super().__init__()
        self.secret = object()


def test_an_unknown_cache_is_refused_by_name() -> None:
    with pytest.raises(CacheError, match=r"OwnCache.*Use --model hf"):
        take_snapshot(OwnCache())


def test_an_unknown_layer_is_refused_by_name() -> None:
    cache = cache_utils.DynamicCache()
    cache.layers = [OwnLayer()]
    assert not can_repeat(cache)
    with pytest.raises(CacheError, match=r"OwnLayer.*Use --model hf"):
        take_snapshot(cache)
