"""Whether a model goes on exactly from what it has read, tried on a few tokens beforehand.

Some models of transformers keep a state but begin anew when more than one token follows it; nothing
says so, and every answer would be wrong. So the first tokens of a prompt are read at once and in
two parts, the second part twice, with the state brought back in between.
"""

import numpy as np
import torch

from personamem.models.caches import CacheError
from personamem.models.prefixes import Tokens
from personamem.models.reading import ContextReader

PROBE_TOKENS = 64
"""Of the first prompt; the first half is read by itself."""

TOLERANCE = 5e-3
"""Of log-probabilities, in 32 bits. Coarser types get 64 units of their last place. A model that
begins anew is off by far more; rounding alone has been seen to make 1e-3."""


def check_continuing(reader: ContextReader, tokens: Tokens, coarsest: torch.dtype) -> None:
    """Try whether reading in parts gives the log-probabilities of reading at once.

    Args:
        reader: one that has read nothing, and is of no use afterwards.
        tokens: of a prompt; fewer than four show nothing.
        coarsest: the dtype of the model with the fewest digits.

    Raises:
        CacheError: it does not, or the cache cannot be brought back.
    """
    tokens = tokens[:PROBE_TOKENS]
    half = len(tokens) // 2
    if half < 2:
        return
    start = reader.mark()
    expected = _read(reader, tokens, half)
    reader.restore(start)
    _read(reader, tokens[:half], None)
    middle = reader.mark()
    tolerance = max(TOLERANCE, 64 * torch.finfo(coarsest).eps)
    for _ in range(2):
        found = _read(reader, tokens[half:], 0)
        reader.restore(middle)
        # The median of the positions: in a mixture of experts, rounding may send one token astray.
        difference = float((found - expected).abs().amax(-1).median())
        if not difference <= tolerance:
            raise CacheError(
                f"{reader.name} does not go on exactly from what it has read: read in two parts, "
                f"the log-probabilities of {len(tokens)} tokens differ by {difference:.2g}. "
                "Use --model hf."
            )


def _read(reader: ContextReader, tokens: Tokens, first: int | None) -> torch.Tensor:
    parts = [logits for _, logits in reader.read(np.asarray(tokens), first)]
    if not parts:
        return torch.empty(0)
    return torch.cat(parts).double().log_softmax(-1)
