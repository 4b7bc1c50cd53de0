"""Attention of a context's continuations that lie one after the other in one row.

Every token sees the whole context and, of the row, the tokens of its own continuation up to itself.
So attention falls in two parts: to the context, which nothing is hidden of, and to the token's own
continuation, which is plain causal attention. Each is computed without a mask, by the processor's
fused kernel, and both are joined by the logarithms of their sums, which is exact. The context's
cache is only looked at. Stock attention would copy it for the row, and again for every head of a
group, make a mask, and weigh all that the mask hides.

transformers calls this by its attention interface. Whatever is more than plain causal attention is
refused by `BranchError`, and `probe` tries every model before it is read so.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedConfig
from transformers.cache_utils import DynamicLayer
from transformers.masking_utils import causal_mask_function

NAME = "personamem_branches"
STOCK = "sdpa"
"""The implementation of attention that this one stands in for, and the only one."""

_MORE = ("cache", "position_bias", "softcap")
"""Arguments by which the stock attention does something else."""


@dataclass(frozen=True, slots=True)
class Row:
    """Continuations of so many tokens each, and the cache of their context.

    Without a cache there is one continuation, which is read into the model's own cache.
    """

    lengths: tuple[int, ...]
    context: Any = None


_ROW: ContextVar[Row] = ContextVar("the row that is read")


class BranchError(NotImplementedError):
    """A model's attention is of a kind that is not computed in branches."""


def can_branch(model: Any, device: torch.device) -> bool:
    """Return whether a model may be tried: it runs on the processor, with the stock attention."""
    return (
        device.type == "cpu"
        and hasattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu")
        and hasattr(model, "set_attn_implementation")
        and all(config._attn_implementation == STOCK for config in _find_configs(model))
    )


def check_layers(cache: Any) -> None:
    """Refuse a cache in which a layer is anything but the keys and values of every token.

    Raises:
        BranchError: naming the class of the layer.
    """
    for layer in cache.layers:
        if type(layer) is not DynamicLayer:
            raise BranchError(f"its cache has a {type(layer).__name__}")


@contextmanager
def read_in_branches(model: Any, row: Row) -> Iterator[None]:
    """Let a model read a row of continuations.

    Raises:
        BranchError: while it reads, of attention that is not plain.
    """
    token = _ROW.set(row)
    model.set_attn_implementation(NAME)
    try:
        yield
    finally:
        model.set_attn_implementation(STOCK)
        _ROW.reset(token)


def place(lengths: Sequence[int], context: int) -> torch.Tensor:
    """Return the positions of continuations in one row, each beginning where the context ends."""
    return torch.cat([torch.arange(context, context + length) for length in lengths])[None]


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    is_causal: bool | None = None,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """Return the attention of a row of continuations, [1, tokens, heads, size].

    Args:
        module: the layer.
        query: of the row, [1, heads, tokens, size].
        key: of the row, [1, groups, tokens, size]; before them, if the row is read into the
            model's own cache, of what is there.
        value: as ``key``.
        attention_mask: None, for it is known what is hidden.
        scaling: of the products; None for one by the root of the size.
        dropout: none.
        is_causal: whether the attention is; None for what the module says.
        options: what else the model passes on.

    Raises:
        BranchError: the attention is not plain.
    """
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    given = [name for name in _MORE if options.get(name) is not None]
    if attention_mask is not None or dropout or not causal or given:
        raise BranchError(f"its attention is not plain: {given or 'it has a mask'}")
    row, tokens = _ROW.get(), query.shape[2]
    context = key.shape[2] - tokens
    seen = key[:, :, :context], value[:, :, :context]
    if row.context is not None:
        layer = row.context.layers[module.layer_idx]
        seen = layer.keys, layer.values
    plain = query.shape[0] == 1 and tokens == sum(row.lengths) and key.shape == value.shape
    if not plain or (context and row.context is not None):
        raise BranchError("its keys are not those of one row")
    key, value = key[:, :, context:], value[:, :, context:]
    output, weight = _attend_own(query, key, value, row.lengths, scaling)
    if seen[0].shape[2]:
        other, weight_other = _attend_context(query, *seen, scaling)
        output = output.lerp(other, (weight_other - weight).sigmoid()[..., None].to(output.dtype))
    return output.transpose(1, 2).contiguous(), None


def _attend_context(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scaling: float | None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the attention to all of the keys, and the logarithms of its sums."""
    # The heads of a group see the same keys, and nothing is hidden: they are one long head.
    grouped = query.reshape(1, key.shape[1], -1, query.shape[-1])
    output, weight = _run_kernel(grouped, key, value, scale=scaling)
    return output.reshape(query.shape), weight.reshape(query.shape[:-1])


def _attend_own(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    lengths: Sequence[int],
    scaling: float | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the causal attention within each continuation, and the logarithms of its sums."""
    parts = zip(*(each.split(list(lengths), 2) for each in (query, key, value)), strict=True)
    outputs, weights = zip(
        *(_run_kernel(*part, is_causal=True, scale=scaling) for part in parts), strict=True
    )
    return torch.cat(outputs, 2), torch.cat(weights, 2)


def _run_kernel(*states: torch.Tensor, **options: Any) -> tuple[torch.Tensor, torch.Tensor]:
    output, weight = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*states, **options)
    return output, weight


def _make_no_mask(
    *, mask_function: Any, attention_mask: torch.Tensor | None = None, **_: Any
) -> None:
    """Refuse any mask but the causal one, which needs not be made."""
    if mask_function is not causal_mask_function or attention_mask is not None:
        raise BranchError("its attention has a mask of its own")


def _find_configs(model: Any) -> list[Any]:
    configs = (getattr(module, "config", None) for module in model.modules())
    return [config for config in configs if isinstance(config, PreTrainedConfig)]


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, _make_no_mask)
