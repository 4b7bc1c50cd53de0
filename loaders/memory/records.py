"""What a run of a memory leaves: for each context its searches, with what they cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from personamem.loaders.memory.meter import Usage
from personamem.loaders.memory.protocol import Memory
from personamem.loaders.memory.scoring import SearchScore


@dataclass(frozen=True, slots=True)
class Search:
    """One search: what came back within the budget (in tokens), best first, and its score."""

    question_id: str
    budget: int
    found: tuple[Memory, ...]
    score: SearchScore


@dataclass(slots=True)
class ContextRun:
    """What happened in one context.

    Args:
        context_id: of the dataset.
        adds: sessions, or parts of them, that were taken in; ``added_tokens`` in o200k_base.
        add_seconds: that this took.
        add_usage: what it asked of models; ``search_usage`` what searching did.
        failures: one line each; a search that failed found nothing.
        is_complete: whether every session was taken in.
        searches: in the order of the questions, each with all budgets.
    """

    context_id: str
    adds: int = 0
    added_tokens: int = 0
    add_seconds: float = 0.0
    add_usage: Usage = field(default_factory=Usage)
    search_usage: Usage = field(default_factory=Usage)
    failures: list[str] = field(default_factory=list)
    is_complete: bool = True
    searches: list[Search] = field(default_factory=list)


def iterate_scores(runs: Sequence[ContextRun], budget: int) -> Iterator[SearchScore]:
    """Yield the scores of all contexts for one budget."""
    return (s.score for run in runs for s in run.searches if s.budget == budget)


def write_run(run: ContextRun) -> dict[str, Any]:
    """Return a run as JSON values."""
    return asdict(run)


def read_run(value: Mapping[str, Any]) -> ContextRun:
    """Return what ``write_run`` wrote. Raises KeyError or TypeError for anything else."""
    searches = [
        Search(
            row["question_id"],
            row["budget"],
            tuple(
                Memory(found["text"], found["score"], tuple(found["sources"]))
                for found in row["found"]
            ),
            SearchScore(**row["score"]),
        )
        for row in value["searches"]
    ]
    usage = {name: Usage(**value[name]) for name in ("add_usage", "search_usage")}
    return ContextRun(**{**value, **usage, "searches": searches})
