"""The contract: what every memory system has to do, tried on chats made for it.

An adapter's own tests can call ``check_memory``; ``personamem memory-check`` prints what it finds.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory.protocol import DatedMessage, Memory, MemorySystem, call_optional

Factory = Callable[[], MemorySystem]

_ANN, _BEN = "user-ann", "user-ben"
_DAY = "2024-05-{:02d}T09:00:00"
_SECRETS = {_ANN: "zanzibar", _BEN: "quillfeather"}
_TOPICS = ("kiln", "gearbox", "heron", "lantern", "orchard", "pulley", "quartz", "saddle")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of the contract, and what is wrong; an empty ``fault`` is none."""

    name: str
    what: str
    fault: str

    @property
    def passed(self) -> bool:
        """Whether the system keeps to it."""
        return not self.fault


def check_memory(make: Factory) -> list[Clause]:
    """Try every clause on a memory of its own, made by ``make``; a crash is a fault."""
    return [_try(make, name, what, check) for name, what, check in _CLAUSES]


def make_session(user: str, number: int) -> list[DatedMessage]:
    """Return a short chat of a user on one subject, in which the user's secret word stands."""
    topic, secret, stamp = _TOPICS[number % len(_TOPICS)], _SECRETS[user], _DAY.format(number + 1)
    ask = f"My {topic} is the {secret} model, is it any good?"
    return [
        DatedMessage(role="user", content=ask, timestamp=stamp),
        DatedMessage(role="assistant", content=f"For a {topic} it does its job.", timestamp=stamp),
    ]


def _try(make: Factory, name: str, what: str, check: Callable[[MemorySystem], str]) -> Clause:
    try:
        system = make()
        try:
            fault = check(system)
        finally:
            call_optional(system, "close")
    except Exception as error:  # An adapter may raise anything.
        fault = f"{type(error).__name__}: {error}"
    return Clause(name, what, fault)


def _fill(system: MemorySystem, *users: str, sessions: int = 6) -> None:
    for number in range(sessions):
        for user in users:
            system.add(user, f"s{number}", make_session(user, number))
    call_optional(system, "flush")


def _search(system: MemorySystem, user: str, query: str, budget: int = 1_000) -> Sequence[Memory]:
    return list(system.search(user, query, "2024-06-01", budget))


def _check_finding(system: MemorySystem) -> str:
    _fill(system, _ANN)
    found = _search(system, _ANN, "Which model is my heron?")
    return "" if any("heron" in memory.text for memory in found) else "what was added is not found"


def _check_users(system: MemorySystem) -> str:
    _fill(system, _ANN, _BEN)
    leaked = [m.text for m in _search(system, _ANN, "Which model?") if _SECRETS[_BEN] in m.text]
    return f"a search for {_ANN} returned a chat of {_BEN}: {leaked[0][:60]!r}" if leaked else ""


def _check_budget(system: MemorySystem) -> str:
    _fill(system, _ANN, sessions=8)
    tokens = sum(count_tokens(m.text) for m in _search(system, _ANN, "Which model?", 60))
    return f"{tokens} tokens were returned where 60 were asked for" if tokens > 60 else ""


def _check_dates(system: MemorySystem) -> str:
    _fill(system, _ANN)
    found = _search(system, _ANN, "When did I ask about the heron?")
    texts = [memory.text for memory in found if "heron" in memory.text]
    return "" if any("2024" in text for text in texts) else "no text tells on which day it was said"


def _check_stranger(system: MemorySystem) -> str:
    _fill(system, _ANN)
    found = _search(system, "user-nobody", "Which model?")
    return f"{len(found)} texts for a user who never said anything" if found else ""


def _check_determinism(system: MemorySystem) -> str:
    _fill(system, _ANN)
    one, other = (_search(system, _ANN, "Which model is my heron?") for _ in range(2))
    texts = [[memory.text for memory in found] for found in (one, other)]
    return "" if texts[0] == texts[1] else "the same search returned something else"


def _check_reset(system: MemorySystem) -> str:
    if not hasattr(system, "reset"):
        return ""
    _fill(system, _ANN, _BEN)
    call_optional(system, "reset", _ANN)
    if _search(system, _ANN, "Which model is my heron?"):
        return "after reset, something is still found"
    kept = _search(system, _BEN, "Which model is my heron?")
    return "" if kept else f"reset of {_ANN} forgot {_BEN} too"


def _list_clauses() -> Iterator[tuple[str, str, Callable[[MemorySystem], str]]]:
    yield "finding", "what was added can be found", _check_finding
    yield "users", "a user never gets the chats of another", _check_users
    yield "budget", "no more tokens come back than were asked for", _check_budget
    yield "dates", "what comes back tells its day", _check_dates
    yield "strangers", "nothing is known of a user who said nothing", _check_stranger
    yield "determinism", "the same search returns the same", _check_determinism
    yield "reset", "reset forgets one user (where there is a reset)", _check_reset


_CLAUSES = tuple(_list_clauses())
