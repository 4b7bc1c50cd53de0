"""Reading and decoding continuations of a context in one row, over one set of keys and values.

For models with nothing but full attention, on a processor (`packed_attention`). A causal cache
holds for every earlier place: once a context is read to its end, continuations of all its places
can be read together, and decoded together, one token of each in a pass.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from personamem.tasks.models.packed_attention import pack
from personamem.tasks.models.packed_cache import ContextCache, ContinuationCache
from personamem.tasks.models.packing import (
    ContextChunk,
    Continuations,
    NextTokens,
    Packing,
    PassComplete,
)
from personamem.tasks.models.prefixes import Tokens
from personamem.tasks.models.reading import ContextReader, Mark
from personamem.tasks.models.transformers_compat import PassingCache, make_cache


class PackedReader(ContextReader):
    """A `ContextReader` that keeps keys and values itself."""

    def __init__(
        self, model: Any, device: torch.device, chunk: int, precision: torch.dtype | None
    ) -> None:
        """Begin with an empty context."""
        super().__init__(model, device, chunk, precision)
        self._context = ContextCache()

    def mark(self) -> Mark:
        """Return the state, to go back to."""
        return Mark(self.length, None)

    def restore(self, mark: Mark) -> None:
        """Go back to a state that ``mark`` returned."""
        self.length = self._context.length = mark.length

    def reserve(self, tokens: int) -> None:
        """Make room for a context of this many tokens; more make it grow."""
        self._context.reserve(tokens)

    def measure_token(self) -> int:
        """Return the bytes that the keys and values of one token take."""
        return self._context.measure_token()

    def can_pack(self) -> bool:
        """Return whether continuations of what has been read share its cache."""
        return self.length > 0

    def export_cache(self) -> Any:
        """Return a stock cache with a copy of what has been read; None for nothing."""
        return make_cache(self._context.get_all()) if self.length else None

    def read_prompts(
        self, prompts: Sequence[Tokens], ends: Sequence[int], most: int
    ) -> tuple[torch.Tensor, ContinuationCache]:
        """Read prompts whose beginnings have been read, and leave the state as it is.

        Args:
            prompts: of each the tokens after what it shares with the context, one at least.
            ends: of each the number of the context's tokens that come before, ascending.
            most: the most tokens that will be added to one.

        Returns:
            The logits after each prompt, [prompts, vocab], and their keys and values.

        Raises:
            OutOfMemoryError: there is no room for them all.
        """
        lengths = [len(prompt) for prompt in prompts]
        logits, first = [], 0
        with self.refusing(max(lengths), len(prompts)):
            kept = ContinuationCache(ends, lengths, most)
            while first < len(prompts):
                count = count_fitting(lengths[first:], self.chunk)
                part = slice(first, first + count)
                packing = Continuations(self._context, ends[part], lengths[part], kept, first)
                row = np.concatenate(prompts[part])
                logits.append(self._run_packed(row, packing, np.cumsum(lengths[part]) - 1))
                # The last token of a prompt begins the reply.
                self.tokens_read += len(row) - count
                first += count
        return torch.cat(logits), kept

    def read_next(self, tokens: Tokens, kept: ContinuationCache) -> torch.Tensor:
        """Read the next token of each of the continuations; return the logits, [rows, vocab].

        The caller counts the tokens by `ContinuationCache.advance`.

        Raises:
            OutOfMemoryError: there is no room for them.
        """
        with self.refusing(1, len(tokens)):
            return self._run_packed(tokens, NextTokens(self._context, kept), np.arange(len(tokens)))

    def _extend(self, tokens: Tokens, kept: int) -> torch.Tensor:
        # Without logits, nothing is wanted of the last layer but its keys and values. Which one is
        # the last is known once a pass went through.
        last = self._context.last_layer if kept <= 0 and self._context.length else None
        packing = ContextChunk(self._context, len(tokens), last)
        try:
            first = len(tokens) - max(kept, 1)
            logits = self._run_packed(tokens, packing, np.arange(first, len(tokens)))
        except PassComplete:
            logits = torch.empty(0)
        self._context.length += len(tokens)
        self.tokens_read += len(tokens)
        return logits[None]

    def _read_together(
        self, branches: Sequence[Tokens], firsts: Sequence[int]
    ) -> list[torch.Tensor]:
        if not self.can_pack():
            return super()._read_together(branches, firsts)
        lengths = [len(branch) for branch in branches]
        starts = np.cumsum([0, *lengths[:-1]])
        kept = [
            np.arange(start + first, start + length)
            for start, first, length in zip(starts, firsts, lengths, strict=True)
        ]
        packing = Continuations(self._context, [self.length] * len(branches), lengths)
        row = np.concatenate(branches)
        logits = self._run_packed(row, packing, np.concatenate(kept))
        self.tokens_read += len(row)
        return list(logits.split([len(each) for each in kept]))

    def _run_packed(self, row: Tokens, packing: Packing, kept: Any) -> torch.Tensor:
        """Return the logits of chosen tokens of a row, [chosen, vocab]."""
        wanted = torch.from_numpy(kept)
        options = {
            self.cache_name: PassingCache(),
            "use_cache": True,
            "position_ids": packing.positions[None],
        }
        with pack(self._base, packing):
            logits = self._call(row[None], wanted, options).logits[0]
        return logits if self._keeps_logits else logits[wanted]


def count_fitting(lengths: Sequence[int], room: int) -> int:
    """Return how many of the first continuations have room together, one at least."""
    ends = np.cumsum(lengths)
    return max(int((ends <= room).sum()), 1)
