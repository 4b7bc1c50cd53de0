"""Controls: memories whose figures are known beforehand, and one that must fail."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from types import MappingProxyType

from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory.protocol import DatedMessage, Memory, MemoryFailure, MemorySystem
from personamem.loaders.memory.steps import AskStep
from personamem.loaders.memory.timeline import MemoryData, list_steps
from personamem.loaders.retrieval.ranking import Retriever


class _Sessions:
    """Keeps the sessions of each user as texts, by their ids."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, str]] = {}

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        """Keep a session: its day, then who said what."""
        lines = [messages[0]["timestamp"][:10]] if messages else []
        lines += [f"{m['role']}: {m['content']}" for m in messages if m["role"] != "system"]
        self._kept.setdefault(user, {})[session_id] = "\n".join(lines)

    def reset(self, user: str) -> None:
        """Forget a user."""
        self._kept.pop(user, None)

    def list(self, user: str) -> Sequence[Memory]:
        """Return all sessions."""
        return [Memory(text, 0.0, (key,)) for key, text in self._kept.get(user, {}).items()]

    def save(self, folder: Path) -> None:
        """Write all sessions."""
        (folder / "sessions.json").write_text(json.dumps(self._kept), encoding="utf-8")

    def load(self, folder: Path) -> None:
        """Read what ``save`` wrote."""
        self._kept = json.loads((folder / "sessions.json").read_text(encoding="utf-8"))

    def _fill(self, user: str, order: Sequence[str], max_tokens: int) -> Sequence[Memory]:
        """Return sessions in an order of preference, as long as they fit into the budget."""
        found: list[Memory] = []
        left = max_tokens
        for rank, key in enumerate(order):
            text = self._kept[user][key]
            tokens = count_tokens(text)
            if tokens > left:
                continue
            left -= tokens
            found.append(Memory(text, -float(rank), (key,)))
        return found


class NoMemory:
    """Remembers nothing."""

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        """Forget a session at once."""

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return nothing."""
        return []

    def list(self, user: str) -> Sequence[Memory]:
        """Return nothing."""
        return []


class FullMemory(_Sessions):
    """Returns the latest sessions, as many as fit: with budget enough, everything."""

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return the latest sessions."""
        return self._fill(user, list(self._kept.get(user, {}))[::-1], max_tokens)


class RandomMemory(_Sessions):
    """Returns sessions drawn at random, the same ones for the same query."""

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return some sessions."""
        keys = list(self._kept.get(user, {}))
        Random(f"{user}\n{query}\n{as_of}").shuffle(keys)
        return self._fill(user, keys, max_tokens)


class RetrievalMemory(_Sessions):
    """Returns the sessions that a retriever ranks highest for the query."""

    def __init__(self, retriever: Retriever) -> None:
        super().__init__()
        self._retriever = retriever

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return the best sessions."""
        kept = self._kept.get(user, {})
        if not kept:
            return []
        keys = list(kept)
        (ranked,) = self._retriever.rank(list(kept.values()), [query], len(keys))
        return self._fill(user, [keys[index] for index in ranked], max_tokens)


class OracleMemory(_Sessions):
    """Returns the sessions that hold the evidence, as the dataset says: what can be had at best."""

    def __init__(
        self, evidence: Mapping[tuple[str, str, str], Sequence[str]] = MappingProxyType({})
    ) -> None:
        """``evidence`` are session ids by user, query and day."""
        super().__init__()
        self._evidence = evidence

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return the sessions with the evidence."""
        kept = self._kept.get(user, {})
        wanted = self._evidence.get((user, query, as_of), ())
        return self._fill(user, [key for key in wanted if key in kept], max_tokens)


class BrokenMemory(_Sessions):
    """Does what a memory must not do: it mixes users, and it ignores the budget."""

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return everything of everybody."""
        return [Memory(text) for kept in self._kept.values() for text in kept.values()]


def _make_oracle(data: MemoryData) -> OracleMemory:
    evidence: dict[tuple[str, str, str], list[str]] = {}
    for context_id in data.context_ids:
        for step in list_steps(data, context_id):
            if isinstance(step, AskStep):
                if step.evidence is None:
                    raise MemoryFailure(
                        f"oracle: {data.source} does not say which sessions hold the evidence."
                    )
                known = evidence.setdefault((step.user, step.query, step.as_of), [])
                for first, *_ in step.evidence:
                    if first not in known:
                        known.append(first)
    return OracleMemory(evidence)


def _make_retrieval(name: str) -> RetrievalMemory:
    from personamem.loaders.retrieval import make_retriever

    return RetrievalMemory(make_retriever(name))


CONTROLS: Mapping[str, Callable[[], MemorySystem]] = {
    "none": NoMemory,
    "full": FullMemory,
    "oracle": OracleMemory,
    "bm25": lambda: _make_retrieval("bm25"),
    "minilm": lambda: _make_retrieval("minilm"),
    "random": RandomMemory,
    "broken": BrokenMemory,
}


def make_control(name: str, data: MemoryData | None) -> MemorySystem:
    """Return a control by its name, one of ``CONTROLS``; only the oracle needs a dataset."""
    if name == "oracle":
        assert data is not None
        return _make_oracle(data)
    return CONTROLS[name]()
