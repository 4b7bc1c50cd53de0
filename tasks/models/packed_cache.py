"""Keys and values of a context, and of continuations that are read and decoded beside it.

A stock cache copies all it holds whenever it takes up a token, and a batch of continuations needs a
copy of the context for each of them. Here a context has room in advance: reading on writes what is
new, and going back moves its end. Continuations keep their own keys and values only; each sees the
context up to a place of its own.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

States = tuple[torch.Tensor, torch.Tensor]
"""Keys and values, each [batch, groups, tokens, size]."""

GROWTH = 1.5
"""Factor by which the room for a context grows where none was reserved."""

SPARE_TOKENS = 64
"""Most new tokens of continuations for which room is made at a time."""


class ContextCache:
    """Keys and values of the tokens of one context, by layer; ``length`` tokens count."""

    def __init__(self) -> None:
        """Make an empty cache."""
        self.length = 0
        self._reserved = 0
        self._layers: dict[int, States] = {}

    def reserve(self, tokens: int) -> None:
        """Make room for this many tokens in all when the next ones are written."""
        self._reserved = tokens

    @property
    def last_layer(self) -> int | None:
        """The layer that was written last in the first pass; None before any."""
        return next(reversed(self._layers), None)

    def get(self, layer: int, length: int) -> States:
        """Return keys and values of the first ``length`` tokens, as views."""
        keys, values = self._layers[layer]
        return keys[:, :, :length], values[:, :, :length]

    def get_all(self) -> Mapping[int, States]:
        """Return keys and values of all tokens by layer, as views."""
        return {layer: self.get(layer, self.length) for layer in self._layers}

    def measure_token(self) -> int:
        """Return the bytes of the keys and values of one token."""
        held = (states for layer in self._layers.values() for states in layer)
        return sum(states[0, :, 0].numel() * states.element_size() for states in held)

    def write(self, layer: int, key: torch.Tensor, value: torch.Tensor) -> None:
        """Put keys and values of new tokens after the first ``length``, which stays as it is."""
        end = self.length + key.shape[2]
        held = self._layers.get(layer)
        room = 0 if held is None else held[0].shape[2]
        if held is None or end > room:
            room = max(end, self._reserved, int(GROWTH * room))
            held = _grow(held, (key, value), 1, self.length, room)
            self._layers[layer] = held
        for states, new in zip(held, (key, value), strict=True):
            states[:, :, self.length : end] = new


class ContinuationCache:
    """Keys and values of continuations, one a row, beside those of their context.

    Args:
        ends: of each the number of the context's tokens that it sees.
        lengths: of each the number of its own tokens.
        most: the most tokens that will be added to one.
    """

    def __init__(self, ends: Sequence[int], lengths: Sequence[int], most: int) -> None:
        """Make a cache that `fill` has to fill."""
        self.ends, self.lengths = torch.tensor(ends), torch.tensor(lengths)
        self._left = most
        self._layers: dict[int, States] = {}
        self._room = 0
        self._make_room(int(self.lengths.max()))

    def fill(self, layer: int, first: int, row: States, lengths: Sequence[int]) -> None:
        """Put in the continuations from number ``first`` on, which lie in one row."""
        if layer not in self._layers:
            self._layers[layer] = _grow(None, row, len(self.ends), 0, self._room)
        for states, packed in zip(self._layers[layer], row, strict=True):
            for number, part in enumerate(packed[0].split(list(lengths), 1), first):
                states[number, :, : part.shape[1]] = part

    def append(self, layer: int, key: torch.Tensor, value: torch.Tensor) -> States:
        """Write the next token of each, [1, groups, rows, size]; return what is there, as views."""
        held, longest = self._layers[layer], int(self.lengths.max())
        if longest >= held[0].shape[2]:
            held = self._layers[layer] = _grow(held, held, len(self.ends), longest, self._room)
        rows = torch.arange(len(self.ends))
        for states, new in zip(held, (key, value), strict=True):
            states[rows, :, self.lengths] = new[0].transpose(0, 1)
        return held[0][:, :, : longest + 1], held[1][:, :, : longest + 1]

    def advance(self, rows: NDArray[np.bool_]) -> None:
        """Count the tokens that were appended to some of the rows, [rows].

        The next token of another row takes the place of its last one.
        """
        self.lengths += torch.from_numpy(rows)
        self._left -= 1
        longest = int(self.lengths.max())
        if longest >= self._room:
            self._make_room(longest)

    def keep(self, rows: NDArray[np.int64]) -> None:
        """Forget all but some of the rows."""
        chosen = torch.from_numpy(rows)
        self.ends, self.lengths = self.ends[chosen], self.lengths[chosen]
        for layer, (keys, values) in self._layers.items():
            self._layers[layer] = keys[chosen], values[chosen]

    def _make_room(self, length: int) -> None:
        self._room = length + max(1, min(self._left, SPARE_TOKENS))


def _grow(held: States | None, like: States, rows: int, length: int, room: int) -> States:
    """Return states with more room, and the first ``length`` tokens of those held.

    The rest are zeros: what a mask hides is multiplied by zero, and must be a number.
    """
    grown = tuple(each.new_zeros((rows, each.shape[1], room, each.shape[3])) for each in like)
    if held is not None:
        for new, old in zip(grown, held, strict=True):
            new[:, :, :length] = old[:, :, :length]
    return grown[0], grown[1]
