"""Runs a model on tokens packed in one row, as `packing` says what they see.

transformers calls the attention by its interface. Whatever is more than plain causal attention is
refused by `PackingError`, and `probe` tries every model before it is read so.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch

from personamem.tasks.models.packing import Packing
from personamem.tasks.models.torch_compat import has_cpu_attention
from personamem.tasks.models.transformers_compat import (
    has_stock_attention,
    is_causal_mask,
    is_plain_layer,
    register_attention,
    switch_attention,
)

NAME = "personamem_packed"

_MORE = ("cache", "position_bias", "softcap")
"""Arguments by which the stock attention does something else."""

_PACKING: ContextVar[Packing] = ContextVar("the tokens of the pass")


class PackingError(NotImplementedError):
    """A model's attention is of a kind that is not computed for packed tokens."""


def can_pack(model: Any, device: torch.device) -> bool:
    """Return whether a model may be tried: it runs on the processor, with the stock attention."""
    return device.type == "cpu" and has_cpu_attention() and has_stock_attention(model)


def check_layers(cache: Any) -> None:
    """Refuse a cache in which a layer is anything but the keys and values of every token.

    Raises:
        PackingError: naming the class of the layer.
    """
    for layer in cache.layers:
        if not is_plain_layer(layer):
            raise PackingError(f"its cache has a {type(layer).__name__}")


@contextmanager
def pack(model: Any, packing: Packing) -> Iterator[None]:
    """Let a model run on packed tokens.

    Raises:
        PackingError: while it runs, of attention that is not plain.
    """
    token = _PACKING.set(packing)
    try:
        with switch_attention(model, NAME):
            yield
    finally:
        _PACKING.reset(token)


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
    """Return the attention of packed tokens, [1, tokens, heads, size].

    Args:
        module: the layer.
        query: [1, heads, tokens, size].
        key: of the same tokens, [1, groups, tokens, size].
        value: as ``key``.
        attention_mask: None, for it is known what a token sees.
        scaling: of the scores; None for one by the root of the size.
        dropout: none.
        is_causal: whether the attention is; None for what the module says.
        options: what else the model passes on.

    Raises:
        PackingError: the attention is not plain.
    """
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    given = [name for name in _MORE if options.get(name) is not None]
    if attention_mask is not None or dropout or not causal or given:
        raise PackingError(f"its attention is not plain: {given or 'it has a mask'}")
    packing = _PACKING.get()
    one_row = query.shape[0] == 1 and query.shape[2] == len(packing.positions)
    if not one_row or key.shape != value.shape or key.shape[2] != query.shape[2]:
        raise PackingError("its keys are not those of one row")
    output = packing.attend(module.layer_idx, query, key, value, scaling)
    return output.transpose(1, 2).contiguous(), None


def _make_no_mask(
    *, mask_function: Any, attention_mask: torch.Tensor | None = None, **_: Any
) -> None:
    """Refuse any mask but the causal one, which need not be made."""
    if not is_causal_mask(mask_function, attention_mask):
        raise PackingError("its attention has a mask of its own")


register_attention(NAME, attend, _make_no_mask)
