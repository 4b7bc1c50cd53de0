"""What a memory system asks of models: calls, tokens, embeddings."""

from dataclasses import dataclass, fields
from threading import Lock
from typing import Self


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls of a chat model with the tokens that its server counted, and texts embedded."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded: int = 0

    def __add__(self, other: Self) -> Self:
        """Return both together."""
        names = [field.name for field in fields(self)]
        return type(self)(*(getattr(self, name) + getattr(other, name) for name in names))

    def __sub__(self, other: Self) -> Self:
        """Return what came on top of ``other``."""
        names = [field.name for field in fields(self)]
        return type(self)(*(getattr(self, name) - getattr(other, name) for name in names))


class Meter:
    """Adds up what one instance of a system uses; may be read from another thread."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._lock, self._total = Lock(), Usage()

    def add(self, usage: Usage) -> None:
        """Count something."""
        with self._lock:
            self._total += usage

    @property
    def total(self) -> Usage:
        """All that was counted so far."""
        with self._lock:
            return self._total
