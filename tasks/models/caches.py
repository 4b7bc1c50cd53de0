"""What a model remembers of the tokens it has read: kept at a branch, brought back exactly.

A layer with full attention keeps keys and values of every token: going back is cutting off the last
ones. A layer with a sliding window has dropped old tokens by then, and one with a recurrent state
has overwritten it: of these a copy is made at the branch. Both are small, whatever the context's
length, so nothing here grows with the number of branches.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedConfig

from personamem.loaders.formats.errors import PersonamemError
from personamem.tasks.models.transformers_compat import (
    is_growing_layer,
    is_stock_cache,
    is_stock_layer,
)

_GROWING = ("keys", "values")
_SHARED = (int, float, bool, str, torch.dtype, torch.device, PreTrainedConfig, type(None))


class CacheError(PersonamemError, TypeError):
    """A model's cache is of a kind that cannot be brought back to an earlier state."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of a cache: of each layer the number of tokens to keep, and copies of the rest."""

    layers: tuple[tuple[int, dict[str, Any]], ...]


def take_snapshot(cache: Any) -> Snapshot:
    """Return the state of a cache.

    Raises:
        CacheError: the cache, or a layer of it, can neither be cut nor copied.
    """
    check_cache(cache)
    return Snapshot(tuple(_take_layer(layer) for layer in cache.layers))


def restore_snapshot(cache: Any, snapshot: Snapshot) -> None:
    """Bring a cache back to a state it had; it may have grown since in some layers or in all."""
    for layer, (length, copied) in zip(cache.layers, snapshot.layers, strict=True):
        vars(layer).update({name: _copy(value, layer) for name, value in copied.items()})
        if is_growing_layer(layer):
            _cut(layer, length)


def repeat_cache(cache: Any, rows: int) -> Any:
    """Return a cache that holds the state ``rows`` times, as a batch; the given one stays as it is.

    Memory: the keys and values of ``rows`` caches.
    """
    repeated = copy.copy(cache)
    repeated.layers = []
    for layer in cache.layers:
        twin = copy.copy(layer)
        # Recurrent states are kept in dictionaries, which a shallow copy would share.
        containers = {k: dict(v) for k, v in vars(layer).items() if isinstance(v, dict)}
        vars(twin).update(containers)
        if _holds_tokens(twin):
            twin.reorder_cache(torch.zeros(rows, dtype=torch.long))
        repeated.layers.append(twin)
    return repeated


def measure_cache(cache: Any) -> int:
    """Return the bytes of a cache."""
    return sum(_measure(vars(layer)) for layer in cache.layers)


def can_repeat(cache: Any) -> bool:
    """Return whether every layer is one of the library's own, which all can be made a batch."""
    return all(is_stock_layer(layer) for layer in cache.layers)


def check_cache(cache: Any) -> None:
    """Refuse a cache that is not the library's own.

    Raises:
        CacheError: naming the class.
    """
    if not is_stock_cache(cache):
        raise CacheError(_refuse(type(cache)))


def _take_layer(layer: Any) -> tuple[int, dict[str, Any]]:
    if not is_growing_layer(layer):
        return 0, {name: _copy(value, layer) for name, value in vars(layer).items()}
    kept = {name: value for name, value in vars(layer).items() if name not in _GROWING}
    return _count(layer), {name: _copy(value, layer) for name, value in kept.items()}


def _count(layer: Any) -> int:
    return 0 if layer.keys is None or layer.keys.numel() == 0 else int(layer.keys.shape[-2])


def _cut(layer: Any, length: int) -> None:
    if length == 0:
        layer.keys = layer.values = None
        layer.is_initialized = False
    elif _count(layer) > length:
        layer.keys = layer.keys[..., :length, :]
        layer.values = layer.values[..., :length, :]


def _copy(value: Any, layer: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    if type(value) is dict:
        return {key: _copy(each, layer) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_copy(each, layer) for each in value)
    if isinstance(value, _SHARED):
        return value
    raise CacheError(_refuse(type(layer)))


def _holds_tokens(layer: Any) -> bool:
    return _measure(vars(layer)) > 0


def _measure(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return int(value.numel() * value.element_size())
    if isinstance(value, dict):
        return sum(_measure(each) for each in value.values())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sum(_measure(each) for each in value)
    return 0


def _refuse(kind: type) -> str:
    return (
        f"The model's cache is a {kind.__module__}.{kind.__qualname__}, which can neither be cut "
        "back nor copied, so a context cannot be read once for many questions. Use --model hf."
    )
