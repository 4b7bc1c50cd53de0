"""The internals of torch that this package relies on, in one place.

Checked with torch 2.13. `tests/tasks/models/test_compat.py` fails when a version changes them.
"""

import torch

_KERNEL = "_scaled_dot_product_flash_attention_for_cpu"


def has_cpu_attention() -> bool:
    """Return whether this torch has the fused attention kernel of processors."""
    return hasattr(torch.ops.aten, _KERNEL)


def run_cpu_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    *,
    causal: bool = False,
    scale: float | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the attention of queries to keys, and the logarithms of its sums of exponentials.

    The public function of torch keeps those logarithms to itself; parts of an attention cannot be
    joined without them.

    Args:
        query: [batch, heads, tokens, size].
        key: [batch, groups, keys, size]; the heads are a multiple of the groups.
        value: as ``key``.
        mask: added to the scores, in the dtype of ``query``; expands to [batch, heads, tokens,
            keys]. A query that sees no key gets zeros, and zero for its logarithm.
        causal: whether a token sees no key with a higher number than its own.
        scale: of the scores; None for one by the root of the size.

    Returns:
        [batch, heads, tokens, size] and [batch, heads, tokens].
    """
    output, weight = getattr(torch.ops.aten, _KERNEL)(
        query, key, value, is_causal=causal, attn_mask=mask, scale=scale
    )
    return output, weight
