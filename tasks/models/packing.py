"""What tokens packed in one row see, and their attention: to a context, and to their continuation.

A packed token sees the context up to a place, and of the row the tokens of its own continuation up
to itself. So attention has two parts: to the context, and to the token's own continuation. The
processor's fused kernel computes each, and both are joined by the logarithms of their sums, which
is exact. The keys and values of the context are read where they are; stock attention would copy
them for every continuation, and again for every head of a group.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Protocol

import torch

from personamem.tasks.models.packed_cache import ContextCache, ContinuationCache
from personamem.tasks.models.torch_compat import run_cpu_attention

Attention = tuple[torch.Tensor, torch.Tensor]
"""An output, [batch, heads, tokens, size], and the logarithms of its sums."""


class Packing(Protocol):
    """Tokens of one forward pass, and what each of them sees."""

    positions: torch.Tensor
    """Of the tokens, [tokens]."""

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """Return the attention of a row, [1, heads, tokens, size], and keep keys and values."""


class PassComplete(Exception):
    """Raised to end a pass: all that is wanted of it is there."""


class ContextChunk:
    """The next tokens of a context: each sees all before it.

    Args:
        context: takes up their keys and values.
        tokens: their number.
        last: the layer after whose keys and values the pass is to end; None for no such layer.
    """

    def __init__(self, context: ContextCache, tokens: int, last: int | None = None) -> None:
        """Place the tokens behind those there are."""
        self.positions = torch.arange(context.length, context.length + tokens)
        self._context, self._last = context, last

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """See `Packing`.

        Raises:
            PassComplete: this was the last layer that is needed.
        """
        self._context.write(layer, key, value)
        if layer == self._last:
            raise PassComplete
        length = self._context.length
        own = run_cpu_attention(query, key, value, causal=True, scale=scale)
        output = own[0]
        if length:
            seen = self._context.get(layer, length)
            output = join(own, attend_context(query, *seen, scale=scale))
        return output


class Continuations:
    """Continuations one after the other; each sees the context up to a place, and itself.

    Args:
        context: what was read.
        ends: of each continuation the number of the context's tokens that it sees, ascending.
        lengths: of each the number of its tokens.
        kept: takes up the keys and values, where they are wanted.
        first: the number that the first of them has in ``kept``.
    """

    def __init__(
        self,
        context: ContextCache,
        ends: Sequence[int],
        lengths: Sequence[int],
        kept: ContinuationCache | None = None,
        first: int = 0,
    ) -> None:
        """Place the tokens of each behind what it sees of the context."""
        parts = list(zip(ends, lengths, strict=True))
        self.positions = torch.cat([torch.arange(end, end + length) for end, length in parts])
        # Those that see the same of the context are one part of the row.
        self._seen = [
            (end, sum(length for _, length in group))
            for end, group in groupby(parts, key=lambda part: part[0])
        ]
        self._context, self._lengths = context, list(lengths)
        self._kept, self._first = kept, first

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """See `Packing`."""
        if self._kept is not None:
            self._kept.fill(layer, self._first, (key, value), self._lengths)
        own = self._attend_own(query, key, value, scale)
        sizes = [tokens for _, tokens in self._seen]
        parts = zip(self._seen, *(each.split(sizes, 2) for each in (query, *own)), strict=True)
        outputs = []
        for (end, _), asked, output, weight in parts:
            if end:
                seen = self._context.get(layer, end)
                output = join((output, weight), attend_context(asked, *seen, scale=scale))
            outputs.append(output)
        return torch.cat(outputs, 2)

    def _attend_own(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float | None
    ) -> Attention:
        """Return the causal attention within each continuation."""
        parts = zip(*(each.split(self._lengths, 2) for each in (query, key, value)), strict=True)
        attentions = [run_cpu_attention(*part, causal=True, scale=scale) for part in parts]
        outputs, weights = zip(*attentions, strict=True)
        return torch.cat(outputs, 2), torch.cat(weights, 2)


class NextTokens:
    """The next token of each continuation: it sees what its continuation sees, and itself."""

    def __init__(self, context: ContextCache, rows: ContinuationCache) -> None:
        """Place each token behind its continuation."""
        self.positions = rows.ends + rows.lengths
        self._context, self._rows = context, rows
        self._longest = int(rows.ends.max())
        self._sees_context = torch.arange(self._longest) < rows.ends[:, None]
        self._sees_own = torch.arange(int(rows.lengths.max()) + 1) <= rows.lengths[:, None]
        self._masks: dict[tuple[torch.dtype, int], torch.Tensor] = {}

    def attend(
        self,
        layer: int,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        scale: float | None,
    ) -> torch.Tensor:
        """See `Packing`."""
        heads, tokens, size = query.shape[1:]
        groups = key.shape[1]
        keys, values = self._rows.append(layer, key, value)
        rows = query[0].transpose(0, 1).reshape(tokens, groups, -1, size)
        mask = make_mask(self._sees_own, query.dtype)[:, None, None]
        output, weight = run_cpu_attention(rows, keys, values, mask, scale=scale)
        own = (
            output.reshape(1, tokens, heads, size).transpose(1, 2),
            weight.reshape(1, tokens, heads).transpose(1, 2),
        )
        if not self._longest:
            return own[0]
        seen = self._context.get(layer, self._longest)
        mask = self._mask_context(query.dtype, heads // groups)
        output, weight = attend_context(query, *seen, mask, scale=scale)
        # A row that sees nothing of the context gets zeros, and a zero for its weight.
        weight = weight.masked_fill(self._rows.ends == 0, -torch.inf)
        return join(own, (output, weight))

    def _mask_context(self, dtype: torch.dtype, heads: int) -> torch.Tensor | None:
        """Return the mask for so many heads of a group, which are the same to every layer."""
        if self._sees_context.all():
            return None
        if (dtype, heads) not in self._masks:
            self._masks[dtype, heads] = make_mask(self._sees_context, dtype).repeat(heads, 1)
        return self._masks[dtype, heads][None, None]


def attend_context(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None = None,
    scale: float | None = None,
) -> Attention:
    """Return the attention to the keys of a context, which nothing but ``mask`` hides."""
    # The heads of a group see the same keys, so they are one long head.
    grouped = query.reshape(1, key.shape[1], -1, query.shape[-1])
    output, weight = run_cpu_attention(grouped, key, value, mask, scale=scale)
    return output.reshape(query.shape), weight.reshape(query.shape[:-1])


def join(first: Attention, second: Attention) -> torch.Tensor:
    """Return the output of the attention to the keys of both."""
    share = (second[1] - first[1]).sigmoid()[..., None].to(first[0].dtype)
    return first[0].lerp(second[0], share)


def make_mask(visible: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return what to add to scores, so that only what is visible counts."""
    return torch.zeros(visible.shape, dtype=dtype).masked_fill(~visible, -torch.inf)
