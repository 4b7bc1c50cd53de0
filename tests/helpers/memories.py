"""Memories made for tests, behind the factory that runs take."""

from collections.abc import Callable, Sequence
from pathlib import Path

from personamem.loaders.memory.controls import NoMemory
from personamem.loaders.memory.meter import Meter
from personamem.loaders.memory.protocol import DatedMessage, Memory, MemorySystem
from personamem.loaders.memory.systems import Instance, MemoryFactory, Models


class Making(MemoryFactory):
    """A factory whose instances come from a function."""

    def __init__(self, make: Callable[[], MemorySystem]) -> None:
        self.name, self.models, self._gateway = "made", Models(), None
        self._make = make

    def make(self, folder: Path) -> Instance:
        return Instance(self._make(), Meter())


class Recorder(NoMemory):
    """Notes what it is told, in order."""

    def __init__(self) -> None:
        self.added: list[tuple[str, str, Sequence[DatedMessage]]] = []
        self.asked: list[tuple[str, str, str, int]] = []
        self.flushed = self.closed = 0

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        self.added.append((user, session_id, messages))

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        self.asked.append((user, query, as_of, len(self.added)))
        return []

    def flush(self) -> None:
        self.flushed += 1

    def close(self) -> None:
        self.closed += 1
