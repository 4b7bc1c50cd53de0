"""The runner of one unit: contexts that go through one instance of a memory, one after another.

Every session is added once, in the order of time, and a question is asked when its time has come.
A unit has two contexts, so that a memory that mixes its users is found out.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory.protocol import (
    Memory,
    MemoryFailure,
    MemorySystem,
    call_optional,
)
from personamem.loaders.memory.records import ContextRun, Search
from personamem.loaders.memory.scoring import (
    TextIndex,
    cut_to_budget,
    find_sources,
    score_search,
)
from personamem.loaders.memory.steps import AddStep, AskStep, Step
from personamem.loaders.memory.systems import Instance


@dataclass(slots=True)
class Progress:
    """How far a unit has come: steps that are done, and what they left in each context."""

    runs: list[ContextRun]
    done: int = 0
    has_added: bool = False
    """Since the memory was searched last."""


@dataclass(slots=True)
class Unit:
    """Contexts with their steps, in the order in which they go through an instance."""

    number: int
    context_ids: tuple[str, ...]
    steps: tuple[tuple[int, Step], ...]
    """Each with the place of its context among ``context_ids``."""

    indices: dict[str, TextIndex] = field(default_factory=dict)
    held: dict[str, frozenset[str] | None] = field(default_factory=dict)
    """By user, the sessions that the memory keeps, as long as nothing is added."""


Checkpoint = Callable[[MemorySystem, Progress], None]


def run_unit(
    unit: Unit,
    budgets: Sequence[int],
    progress: Progress,
    instance: Instance | None,
    make: Callable[[], Instance],
    checkpoint: Checkpoint,
) -> None:
    """Go on from ``progress`` to the end; ``checkpoint`` is told after every step.

    A context whose session cannot be taken in ends there: its searches count as failed, and the
    next context gets an instance of its own, made by ``make``. ``instance`` is closed at the end.
    """
    for _, step in unit.steps[: progress.done]:
        _note_texts(unit, step)
    try:
        for place, step in unit.steps[progress.done :]:
            run = progress.runs[place]
            if isinstance(step, AddStep):
                _note_texts(unit, step)
                if run.is_complete:
                    try:
                        instance = instance or make()
                        add_session(instance, step, run)
                    except MemoryFailure as failure:
                        run.is_complete = False
                        run.failures.append(str(failure))
                        if instance is not None:
                            _close(instance, run)
                        instance = None
                progress.has_added = True
                unit.held.clear()
            else:
                if progress.has_added and instance is not None and run.is_complete:
                    _flush(instance, run)
                progress.has_added = False
                for budget in budgets:
                    run.searches.append(_ask(unit, instance, run, step, budget))
            progress.done += 1
            if instance is not None:
                try:
                    checkpoint(instance.system, progress)
                except MemoryFailure as failure:
                    run.failures.append(f"{run.context_id}: {failure}")
    finally:
        if instance is not None:
            _close(instance, progress.runs[-1])


def add_session(instance: Instance, step: AddStep, run: ContextRun) -> None:
    """Add a session, and count what it took. Raises MemoryFailure where the system does not."""
    started, before = time.perf_counter(), instance.meter.total
    try:
        instance.system.add(step.user, step.session_id, step.messages)
    except Exception as error:  # An adapter may raise anything.
        raise MemoryFailure(
            f"{step.user}, session {step.session_id}: add failed ({type(error).__name__}: {error})"
        ) from error
    finally:
        run.add_seconds += time.perf_counter() - started
        run.add_usage += instance.meter.total - before
    run.adds += 1
    run.added_tokens += sum(count_tokens(message["content"]) for message in step.messages)


def search_memory(system: MemorySystem, step: AskStep, budget: int) -> Sequence[Memory]:
    """Return what a memory finds for a question. Raises MemoryFailure where it fails."""
    try:
        found = list(system.search(step.user, step.query, step.as_of, budget))
    except MemoryFailure:
        raise
    except Exception as error:  # As above.
        raise MemoryFailure(f"search failed ({type(error).__name__}: {error})") from error
    for memory in found:
        if not isinstance(memory, Memory) or not isinstance(memory.text, str):
            raise MemoryFailure(f"search returned {type(memory).__name__}, not Memory")
    return found


def _ask(
    unit: Unit, instance: Instance | None, run: ContextRun, step: AskStep, budget: int
) -> Search:
    found: Sequence[Memory] = ()
    rewrites, seconds = False, 0.0
    if not run.is_complete:
        run.failures.append(f"{step.question_id}: a session before could not be added")
    if instance is not None and run.is_complete:
        started, before = time.perf_counter(), instance.meter.total
        rewrites = bool(getattr(instance.system, "rewrites", False))
        try:
            found = search_memory(instance.system, step, budget)
        except MemoryFailure as failure:
            run.failures.append(f"{step.question_id}: {failure}")
        seconds = time.perf_counter() - started
        run.search_usage += instance.meter.total - before
    own = unit.indices[step.user]
    others = [index for user, index in unit.indices.items() if user != step.user]
    cut = cut_to_budget(found, budget)
    score = score_search(
        step, cut, seconds, own, others, lambda: _find_held(unit, instance, step, run), rewrites
    )
    return Search(step.question_id, budget, tuple(cut[0]), score)


def _find_held(
    unit: Unit, instance: Instance | None, step: AskStep, run: ContextRun
) -> frozenset[str] | None:
    """Return the sessions that a memory keeps of a user, or None if it does not say."""
    if instance is None or not run.is_complete:
        return None
    if step.user not in unit.held:
        kept = None
        try:
            kept = call_optional(instance.system, "list", step.user)
        except Exception as error:  # As above.
            run.failures.append(f"{step.user}: list failed ({type(error).__name__}: {error})")
        own = unit.indices[step.user]
        unit.held[step.user] = (
            frozenset().union(*(find_sources(memory, own) for memory in kept))
            if isinstance(kept, list)
            else None
        )
    return unit.held[step.user]


def _flush(instance: Instance, run: ContextRun) -> None:
    started, before = time.perf_counter(), instance.meter.total
    try:
        call_optional(instance.system, "flush")
    except Exception as error:  # As above.
        run.failures.append(f"{run.context_id}: flush failed ({type(error).__name__}: {error})")
    run.add_seconds += time.perf_counter() - started
    run.add_usage += instance.meter.total - before


def _close(instance: Instance, run: ContextRun) -> None:
    try:
        call_optional(instance.system, "close")
    except Exception as error:  # As above.
        run.failures.append(f"{run.context_id}: close failed ({type(error).__name__}: {error})")


def _note_texts(unit: Unit, step: Step) -> None:
    if isinstance(step, AddStep):
        index = unit.indices.setdefault(step.user, TextIndex())
        index.add(step.session_id, [m["content"] for m in step.messages if m["role"] == "user"])
