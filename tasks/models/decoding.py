"""Greedy decoding of many prompts together: in each pass the next token of every reply.

What a token may be, and when a reply ends, is left to transformers: its ``generate`` prepares the
processors of logits and the criteria to stop for every prompt, as it would to generate by itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from personamem.tasks.models.packed_reading import PackedReader
from personamem.tasks.models.prefixes import Tokens


class GreedyReply:
    """A reply that grows token by token.

    Args:
        prompt: its tokens, [1, tokens].
        processors: change the logits, as transformers has it.
        criteria: tell whether the reply is complete, as transformers has it.
    """

    def __init__(
        self,
        prompt: torch.Tensor,
        processors: Callable[..., torch.Tensor],
        criteria: Callable[..., torch.Tensor],
    ) -> None:
        """Begin with an empty reply."""
        self._all, self._start = prompt, prompt.shape[1]
        self._processors, self._criteria = processors, criteria

    @property
    def tokens(self) -> list[int]:
        """The reply so far."""
        return list(self._all[0, self._start :].tolist())

    @property
    def last(self) -> int:
        """The last token of the reply, or of the prompt if there is no reply yet."""
        return int(self._all[0, -1])

    def extend(self, logits: torch.Tensor) -> bool:
        """Add the likeliest token by the logits, [vocab]; return whether the reply is complete."""
        scores = self._processors(self._all, logits[None].to(torch.float32))
        self._all = torch.cat([self._all, scores.argmax(-1, keepdim=True)], 1)
        return bool(self._criteria(self._all, None).all())


@dataclass(frozen=True, slots=True)
class OpenPrompt:
    """A prompt to reply to.

    Attributes:
        end: the number of tokens of the context it begins with.
        tokens: those that follow, one at least.
        reply: what there is of the reply.
    """

    end: int
    tokens: Tokens
    reply: GreedyReply


def decode_together(
    reader: PackedReader,
    prompts: Sequence[OpenPrompt],
    most: int,
    report: Callable[[int, list[int]], None],
) -> None:
    """Reply to prompts of a context that has been read; the state of ``reader`` stays as it is.

    Args:
        reader: the model with the context.
        prompts: by their ends.
        most: the most tokens a reply may have.
        report: takes the number of a prompt and its reply, as soon as it is complete.

    Raises:
        OutOfMemoryError: there is no memory for so many prompts.
    """
    logits, kept = reader.read_prompts(
        [prompt.tokens for prompt in prompts], [prompt.end for prompt in prompts], most
    )
    rows, is_open = np.arange(len(prompts)), np.ones(len(prompts), bool)
    tokens = np.zeros(len(prompts), np.int32)
    while True:
        for row in is_open.nonzero()[0]:
            reply = prompts[rows[row]].reply
            is_open[row] = not reply.extend(logits[row])
            tokens[row] = reply.last
            if not is_open[row]:
                report(int(rows[row]), reply.tokens)
        if not is_open.any():
            return
        if 2 * is_open.sum() <= len(rows):
            kept.keep(is_open.nonzero()[0])
            rows, tokens, is_open = rows[is_open], tokens[is_open], is_open[is_open]
        logits = reader.read_next(tokens, kept)
        kept.advance(is_open)
