"""Whether a model goes on exactly from what it has read, tried on a few tokens beforehand.

Some models of transformers keep a state but begin anew when more than one token follows it; nothing
says so, and every answer would be wrong. So the first tokens of a prompt are read at once and in
two parts, the second part twice, with the state brought back in between. In the same way it is
tried whether several continuations can be read and decoded in one row.
"""

import logging
from collections.abc import Sequence

import numpy as np
import torch

from personamem.tasks.models.caches import CacheError
from personamem.tasks.models.packed_attention import check_layers
from personamem.tasks.models.packed_reading import PackedReader
from personamem.tasks.models.prefixes import Tokens
from personamem.tasks.models.reading import ContextReader

logger = logging.getLogger(__name__)

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
    for _ in range(2):
        found = _read(reader, tokens[half:], 0)
        reader.restore(middle)
        difference = _compare(found, expected)
        if not difference <= _choose_tolerance(coarsest):
            raise CacheError(
                f"{reader.name} does not go on exactly from what it has read: read in two parts, "
                f"the log-probabilities of {len(tokens)} tokens differ by {difference:.2g}. "
                "Use --model hf."
            )


def check_packing(
    reader: ContextReader, packed: PackedReader, tokens: Tokens, coarsest: torch.dtype
) -> bool:
    """Try whether packed tokens get the log-probabilities that they get one by one.

    Args:
        reader: one that has read nothing, and is of no use afterwards.
        packed: the same model, to be tried.
        tokens: of a prompt; fewer than eight show nothing.
        coarsest: the dtype of the model with the fewest digits.

    Returns:
        Whether they do; if not, the reason is logged.
    """
    tokens = tokens[:PROBE_TOKENS]
    half = len(tokens) // 2
    if half < 4:
        return False
    # Several, so that one comes after others and one before; in each other tokens at each place.
    branches = [tokens[half:], tokens[:half][::-1], tokens[half:-2][::-1]]
    places = [half // 2, half, half]
    try:
        expected = _read_each(reader, tokens, branches, places)
        check_layers(reader.cache)
        differences = [
            *_compare_rows(packed, tokens[:half], branches[1:], expected[1:]),
            *_compare_places(packed, branches, places, expected),
        ]
    except (RuntimeError, TypeError) as error:
        logger.info("%s is not run on packed tokens: %s.", reader.name, error)
        return False
    logger.info("On packed tokens, log-probabilities differ by up to %.2g.", max(differences))
    return max(differences) <= _choose_tolerance(coarsest)


def _read_each(
    reader: ContextReader, context: Tokens, branches: Sequence[Tokens], places: Sequence[int]
) -> list[torch.Tensor]:
    """Return the log-probabilities of continuations, each read by itself after its place."""
    found = []
    for place, branch in zip(places, branches, strict=True):
        _read(reader, context[reader.length : place], None)
        mark = reader.mark()
        found.append(_read(reader, branch, 0))
        reader.restore(mark)
    return found


def _compare_rows(
    packed: PackedReader, context: Tokens, branches: Sequence[Tokens], expected: list[torch.Tensor]
) -> list[float]:
    """Return how far off continuations of one place are; the context stays read."""
    _read(packed, context, None)
    found = packed.read_branches(branches, [0] * len(branches))
    return [_compare(_normalize(a), b) for a, b in zip(found, expected, strict=True)]


def _compare_places(
    packed: PackedReader,
    branches: Sequence[Tokens],
    places: Sequence[int],
    expected: list[torch.Tensor],
) -> list[float]:
    """Return how far off continuations of several places are, and what is decoded after them."""
    logits, kept = packed.read_prompts([branch[:-1] for branch in branches], places, 1)
    following = packed.read_next(np.array([branch[-1] for branch in branches]), kept)
    found = _normalize(torch.stack([logits, following], 1))
    # Each by itself: a fault in one place or one step must not hide behind the others.
    last = torch.stack([each[-2:] for each in expected])
    return list((found - last).abs().amax(-1).flatten().tolist())


def _read(reader: ContextReader, tokens: Tokens, first: int | None) -> torch.Tensor:
    parts = [logits for _, logits in reader.read(np.asarray(tokens), first)]
    return _normalize(torch.cat(parts)) if parts else torch.empty(0)


def _normalize(logits: torch.Tensor) -> torch.Tensor:
    return logits.double().log_softmax(-1)


def _compare(found: torch.Tensor, expected: torch.Tensor) -> float:
    # The median of the positions: in a mixture of experts, rounding may send one token astray.
    return float((found - expected).abs().amax(-1).median())


def _choose_tolerance(coarsest: torch.dtype) -> float:
    return max(TOLERANCE, 64 * float(torch.finfo(coarsest).eps))
