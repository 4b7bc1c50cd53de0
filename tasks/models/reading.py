"""Reading tokens into a model's cache: in chunks, within the memory there is, with few logits.

Only the logits that somebody asked for are made. A chunk that does not fit into memory is halved,
down to `LEAST_CHUNK` tokens; so is a batch of continuations, down to one. What was read before the
memory ran out stays read.

Several continuations of a context are read in one pass, as a batch whose every row has a copy of
the cache; where the model allows it, `packed_reading` does without the copies.
"""

import gc
import inspect
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import psutil
import torch

from personamem.loaders.formats.errors import PersonamemError
from personamem.tasks.models.caches import (
    CacheError,
    Snapshot,
    check_cache,
    repeat_cache,
    restore_snapshot,
    take_snapshot,
)
from personamem.tasks.models.prefixes import Tokens
from personamem.tasks.models.transformers_compat import CACHE_NAMES

LEAST_CHUNK = 16

logger = logging.getLogger(__name__)


class OutOfMemoryError(PersonamemError, RuntimeError):
    """There is no memory for even the least that can be read at once."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of a reader: the number of tokens read and what the cache held then."""

    length: int
    snapshot: Snapshot | None


class ContextReader:
    """A causal language model with what it has read so far.

    Args:
        model: the model; it is only run, never changed.
        device: where the tokens go.
        chunk: the most tokens read at once.
        precision: the dtype of mixed precision; None for the model's own.
    """

    def __init__(
        self,
        model: Any,
        device: torch.device,
        chunk: int,
        precision: torch.dtype | None,
    ) -> None:
        """Find out by which names the model takes its cache and the number of logits."""
        self.length = 0
        self.cache: Any = None
        self.tokens_read = 0
        self.device = device
        self.name = type(model).__name__
        self.chunk = chunk
        self._model, self._precision = model, precision
        self._base = model.get_base_model() if hasattr(model, "get_base_model") else model
        accepted = inspect.signature(self._base.forward).parameters
        names = (name for name in CACHE_NAMES if name in accepted)
        self.cache_name = next(names, "past_key_values")
        self._keeps_logits = "logits_to_keep" in accepted

    def mark(self) -> Mark:
        """Return the state, to go back to."""
        return Mark(self.length, None if self.length == 0 else take_snapshot(self.cache))

    def restore(self, mark: Mark) -> None:
        """Go back to a state that ``mark`` returned."""
        if mark.snapshot is None:
            self.cache = None
        else:
            restore_snapshot(self.cache, mark.snapshot)
        self.length = mark.length

    def read(self, tokens: Tokens, first_logits: int | None) -> Iterator[tuple[int, torch.Tensor]]:
        """Read tokens after those read so far.

        Args:
            tokens: what to read.
            first_logits: the first of ``tokens`` after which the logits are wanted; None for none.

        Yields:
            The number of a token and the logits after it and those that follow, [tokens, vocab],
            chunk by chunk. Nothing is read beyond what is taken from the iterator.

        Raises:
            OutOfMemoryError: not even `LEAST_CHUNK` tokens can be read at once.
            CacheError: the cache cannot be brought back to an earlier state.
        """
        wanted = len(tokens) if first_logits is None else first_logits
        at, chunk = 0, self.chunk
        while at < len(tokens):
            end = min(at + chunk, len(tokens))
            mark = self.mark()
            try:
                logits = self._extend(tokens[at:end], end - max(at, wanted))
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                chunk = (end - at) // 2
                if chunk < LEAST_CHUNK:
                    raise self.refuse(end - at, 1) from error
                logits = None
            if logits is None:
                # Outside of the handler, whose exception holds on to the tensors of the attempt.
                self._recover(mark)
                continue
            self.length += end - at
            if end > wanted:
                yield max(at, wanted), logits[0]
            at = end

    def read_branches(
        self, branches: Sequence[Tokens], firsts: Sequence[int]
    ) -> list[torch.Tensor]:
        """Read several continuations in one pass, and leave the state as it is.

        Args:
            branches: the tokens of each.
            firsts: of each the first token after which the logits are wanted.

        Returns:
            Of each the logits after that token and those that follow, [tokens, vocab].

        Raises:
            OutOfMemoryError: they do not fit.
        """
        with self.refusing(max(map(len, branches)), len(branches)):
            return self._read_together(branches, firsts)

    def can_pack(self) -> bool:
        """Return whether continuations of what has been read share its cache."""
        return False

    def export_cache(self) -> Any:
        """Return a stock cache that holds what has been read; None for nothing."""
        return self.cache

    def _extend(self, tokens: Tokens, kept: int) -> torch.Tensor:
        """Return the logits of the last tokens, of one at least, and have them all read."""
        logits, self.cache = self._run(tokens[None], self.cache, kept)
        return logits

    def _read_together(
        self, branches: Sequence[Tokens], firsts: Sequence[int]
    ) -> list[torch.Tensor]:
        # Shorter rows are filled up at their ends, where no token that counts can see it.
        rows = fill_rows(branches)
        start = min(firsts)
        repeated = None if self.cache is None else repeat_cache(self.cache, len(rows))
        logits, _ = self._run(rows, repeated, rows.shape[1] - start)
        return [
            logits[row, first - start : len(branch) - start]
            for row, (branch, first) in enumerate(zip(branches, firsts, strict=True))
        ]

    def _run(self, tokens: Tokens, cache: Any, kept: int) -> tuple[torch.Tensor, Any]:
        """Return the logits of the last tokens of each row, and the cache that has grown."""
        output = self._call(tokens, max(kept, 1), {self.cache_name: cache, "use_cache": True})
        cache = getattr(output, self.cache_name, None)
        if cache is None:
            raise CacheError(
                f"{self.name} returns no cache of what it has read, so a context "
                "cannot be read once for many questions. Use --model hf."
            )
        check_cache(cache)
        self.tokens_read += tokens.size
        return output.logits[:, -max(kept, 1) :], cache

    def _call(self, tokens: Tokens, kept: int | torch.Tensor, options: dict[str, Any]) -> Any:
        """Return a model's output; ``kept`` are the last positions with logits, or which have."""
        if self._keeps_logits:
            options["logits_to_keep"] = kept
        inputs = torch.from_numpy(tokens.astype(np.int64)).to(self.device)
        with (
            torch.no_grad(),
            torch.autocast(
                device_type=self.device.type,
                dtype=self._precision,
                enabled=self._precision is not None,
            ),
        ):
            return self._model(inputs, **options)

    def _recover(self, mark: Mark) -> None:
        self.restore(mark)
        free_memory()
        logger.warning("Out of memory after %d tokens; reading in smaller chunks.", mark.length)

    @contextmanager
    def refusing(self, tokens: int, rows: int) -> Iterator[None]:
        """Turn an exception that says that memory ran out into `OutOfMemoryError`."""
        problem = None
        try:
            yield
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            problem = self.refuse(tokens, rows)
        # Outside of the handler, whose exception holds on to the tensors of the attempt.
        if problem is not None:
            free_memory()
            raise problem

    def refuse(self, tokens: int, rows: int) -> OutOfMemoryError:
        """Return the error for rows of tokens that there is no memory to read."""
        batch = f"{rows} times {tokens:,}" if rows > 1 else f"{tokens:,}"
        return OutOfMemoryError(
            f"There is no memory to read {batch} tokens after {self.length:,} tokens of context. "
            "Use a smaller size of context, a smaller model or dtype, or a larger machine."
        )


def fill_rows(rows: Sequence[Tokens]) -> Tokens:
    """Return rows of different lengths as one array, filled up at their ends."""
    filled = np.zeros((len(rows), max(map(len, rows))), np.int32)
    for number, row in enumerate(rows):
        filled[number, : len(row)] = row
    return filled


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an exception says that memory ran out, on whatever device."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    signs = ("out of memory", "not enough memory", "can't allocate memory")
    return isinstance(error, RuntimeError) and any(sign in str(error).lower() for sign in signs)


def free_memory() -> None:
    """Give back what a failed attempt has left behind."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def measure_free_memory(device: torch.device) -> int:
    """Return the bytes that are free where the model runs."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    return int(psutil.virtual_memory().available)
