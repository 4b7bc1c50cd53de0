"""The runner: every session is added once, and a question is asked when its time has come."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.protocol import (
    Memory,
    MemoryFailure,
    MemorySystem,
    call_optional,
)
from personamem.loaders.memory.scoring import SearchScore, TextIndex, score_search
from personamem.loaders.memory.timeline import AddStep, AskStep, list_steps
from personamem.loaders.personamem.dataset import PersonaMem

OTHERS_KEPT = 3
"""Other users whose texts are looked for in what a search returns."""


@dataclass(slots=True)
class ContextRun:
    """What happened in one context: calls, seconds and failures, and a score for each search.

    ``scores[budget]`` are in the order of the questions.
    """

    context_id: str
    adds: int = 0
    searches: int = 0
    add_seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    scores: dict[int, list[SearchScore]] = field(default_factory=dict)


def run_memory(
    data: PersonaMem,
    system: MemorySystem,
    budgets: Sequence[int],
    contexts: Sequence[str] | None = None,
    report: Callable[[ContextRun], None] = lambda run: None,
) -> list[ContextRun]:
    """Add the contexts of a split to a memory and put their questions to it, context by context.

    A question is searched for once a budget (in tokens); its options are not shown. A search that
    fails counts as one that found nothing, and the failure is recorded.

    Raises:
        InvalidInputError: no budget, or one below 1.
        MemoryFailure: the system failed to take in a session, so that nothing after can count.
    """
    if not budgets or min(budgets) < 1:
        raise InvalidInputError(
            f"budget {min(budgets, default=0)}: nothing could be returned. Accepted: 1 token or "
            "more."
        )
    indices: dict[str, TextIndex] = {}
    runs = []
    try:
        for context_id in contexts or data.context_ids:
            runs.append(_run_context(data, context_id, system, budgets, indices))
            report(runs[-1])
            while len(indices) > OTHERS_KEPT:
                del indices[next(iter(indices))]
    finally:
        call_optional(system, "close")
    return runs


def _run_context(
    data: PersonaMem,
    context_id: str,
    system: MemorySystem,
    budgets: Sequence[int],
    indices: dict[str, TextIndex],
) -> ContextRun:
    run = ContextRun(context_id, scores={budget: [] for budget in budgets})
    is_new = False
    for step in list_steps(data, context_id):
        index = indices.setdefault(step.user, TextIndex())
        if isinstance(step, AddStep):
            index.add(step.session_id, [m["content"] for m in step.messages if m["role"] == "user"])
            run.add_seconds += add_session(system, step)
            run.adds += 1
            is_new = True
            continue
        if is_new:
            started = time.perf_counter()
            call_optional(system, "flush")
            run.add_seconds += time.perf_counter() - started
            is_new = False
        others = {user: index for user, index in indices.items() if user != step.user}
        for budget in budgets:
            started = time.perf_counter()
            try:
                found = search_memory(system, step, budget)
            except MemoryFailure as failure:
                run.failures.append(f"{step.question.question_id}: {failure}")
                found = []
            seconds = time.perf_counter() - started
            run.searches += 1
            run.scores[budget].append(score_search(step, found, budget, seconds, index, others))
    return run


def add_session(system: MemorySystem, step: AddStep) -> float:
    """Add a session and return the seconds. Raises MemoryFailure where the system does not."""
    started = time.perf_counter()
    try:
        system.add(step.user, step.session_id, step.messages)
    except Exception as error:  # An adapter may raise anything.
        raise MemoryFailure(
            f"{step.user}, session {step.session_id}: add failed ({type(error).__name__}: {error})"
        ) from error
    return time.perf_counter() - started


def search_memory(system: MemorySystem, step: AskStep, budget: int) -> Sequence[Memory]:
    """Return what a memory finds for a question. Raises MemoryFailure where it fails."""
    query = step.question.user_question_or_message
    try:
        found = list(system.search(step.user, query, step.as_of, budget))
    except MemoryFailure:
        raise
    except Exception as error:  # As above.
        raise MemoryFailure(f"search failed ({type(error).__name__}: {error})") from error
    for memory in found:
        if not isinstance(memory, Memory) or not isinstance(memory.text, str):
            raise MemoryFailure(f"search returned {type(memory).__name__}, not Memory")
    return found


def iterate_scores(runs: Sequence[ContextRun], budget: int) -> Iterator[SearchScore]:
    """Yield the scores of all contexts for one budget."""
    return (score for run in runs for score in run.scores[budget])
