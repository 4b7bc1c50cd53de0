"""The internals of transformers that this package relies on, in one place.

Checked with transformers 5.23 and 5.24. `tests/tasks/models/test_compat.py` fails when a version
changes them.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any

import torch
from transformers import (
    AttentionInterface,
    AttentionMaskInterface,
    DynamicCache,
    PreTrainedConfig,
    cache_utils,
)
from transformers.cache_utils import DynamicLayer
from transformers.generation import GenerationMode
from transformers.masking_utils import causal_mask_function

STOCK_ATTENTION = "sdpa"
"""The attention implementation of a model that was loaded without naming one."""

GROWING_LAYERS = (DynamicLayer, cache_utils.LinearAttentionAndFullAttentionLayer)
"""Layers of a cache whose ``keys`` and ``values`` hold every token, along the last dimension but
one."""

CACHE_NAMES = ("cache", "cache_params")
"""What models call their cache, transformers 5.24 and later first, else "past_key_values"."""

GREEDY = GenerationMode.GREEDY_SEARCH

TOKEN_BY_TOKEN = (GREEDY, GenerationMode.SAMPLE)
"""Ways to generate that go on from a cache of one row, token by token."""


class PassingCache(DynamicCache):  # type: ignore[misc]
    """A cache that keeps nothing: a layer gets back the keys and values it gave.

    Without a cache, a model takes positions that start anew for rows that do not see each other,
    and makes a mask for them.
    """

    def update(
        self, key_states: torch.Tensor, value_states: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the keys and values as they are."""
        return key_states, value_states


def make_cache(states: Mapping[int, tuple[torch.Tensor, torch.Tensor]]) -> Any:
    """Return a stock cache that holds keys and values by the number of their layer."""
    cache = DynamicCache()
    for layer in sorted(states):
        cache.update(*states[layer], layer)
    return cache


def is_stock_cache(cache: Any) -> bool:
    """Return whether a cache is the library's own that grows where the model runs."""
    return type(cache) is DynamicCache and cache.offloading is False


def is_stock_layer(layer: Any) -> bool:
    """Return whether a layer of a cache is one of the library's own."""
    return type(layer).__module__ == "transformers.cache_utils"


def is_growing_layer(layer: Any) -> bool:
    """Return whether a layer of a cache holds keys and values of every token.

    Exactly the known classes: a subclass may keep more than it shows, or less.
    """
    return type(layer) in GROWING_LAYERS


def keeps_states_alone(config: PreTrainedConfig) -> bool:
    """Return whether a model keeps a recurrent state in each layer, and keys and values in none."""
    layers = DynamicCache(config=config).layers
    return bool(layers) and all(type(each) is cache_utils.LinearAttentionLayer for each in layers)


def is_plain_layer(layer: Any) -> bool:
    """Return whether a layer of a cache is keys and values of every token, and nothing else."""
    return type(layer) is DynamicLayer


def register_attention(
    name: str, attend: Callable[..., Any], make_mask: Callable[..., Any]
) -> None:
    """Let models be switched to an attention function and the function that makes its masks."""
    AttentionInterface.register(name, attend)
    AttentionMaskInterface.register(name, make_mask)


def is_causal_mask(mask_function: Any, attention_mask: torch.Tensor | None) -> bool:
    """Return whether the arguments of a mask function describe the plain causal mask."""
    return mask_function is causal_mask_function and attention_mask is None


def has_stock_attention(model: Any) -> bool:
    """Return whether every part of a model has the stock attention, which may be switched."""
    configs = (getattr(module, "config", None) for module in model.modules())
    return hasattr(model, "set_attn_implementation") and all(
        config._attn_implementation == STOCK_ATTENTION
        for config in configs
        if isinstance(config, PreTrainedConfig)
    )


@contextmanager
def switch_attention(model: Any, name: str) -> Iterator[None]:
    """Switch a model with the stock attention to another, for as long as the context lasts."""
    model.set_attn_implementation(name)
    try:
        yield
    finally:
        model.set_attn_implementation(STOCK_ATTENTION)


def find_generation_mode(model: Any, options: Mapping[str, Any]) -> GenerationMode | None:
    """Return how ``generate`` chooses tokens with these options.

    None where it does more than choose one token after the other for one row, or where the options
    go to the model itself.
    """
    config = copy(model.generation_config)
    unused = config.update(**{k: value for k, value in options.items() if value is not None})
    plain = (
        not unused
        and config.num_return_sequences in (None, 1)
        and config.cache_implementation is None
        and config.use_cache is not False
        and not config.token_healing
    )
    mode = config.get_generation_mode()
    return mode if plain and mode in TOKEN_BY_TOKEN else None
