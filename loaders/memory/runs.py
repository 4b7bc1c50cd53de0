"""Runs over a split: units side by side, each with an instance of its own, stored as they go."""

import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from threading import Event, Lock
from typing import Any, Self

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.protocol import MemoryFailure, MemorySystem, call_optional
from personamem.loaders.memory.records import ContextRun
from personamem.loaders.memory.runner import Progress, Unit, run_unit
from personamem.loaders.memory.stored import RunFolder
from personamem.loaders.memory.systems import Instance, MemoryFactory
from personamem.loaders.memory.timeline import MemoryData, list_steps, map_questions

CONTEXTS_OF_A_UNIT = 2

Report = Callable[[ContextRun], None]


def run_memory(
    data: MemoryData,
    factory: MemoryFactory,
    budgets: Sequence[int],
    *,
    contexts: Sequence[str] | None = None,
    folder: Path | None = None,
    side_by_side: int = 1,
    report: Report = lambda run: None,
) -> list[ContextRun]:
    """Add the contexts of a split to a memory and put their questions to it.

    A question is searched for once a budget (in tokens); its options are not shown.

    Args:
        data: a split.
        factory: makes the instances of the memory.
        budgets: tokens that a search may return.
        contexts: all unless given.
        folder: where the run is kept; a run that was killed goes on there.
        side_by_side: units, of two contexts each, that run at a time.
        report: told about each context that is done.

    Returns:
        a record for each context, in their order, whatever runs side by side.

    Raises:
        InvalidInputError: no budget, or one below 1; ``folder`` holds another run.
    """
    telling = Lock()
    with MemoryRun(data, factory, budgets, contexts, folder) as memory:

        def work(number: int) -> list[ContextRun]:
            runs = memory.run_unit(number)
            with telling:
                for run in runs:
                    report(run)
            return runs

        with ThreadPoolExecutor(side_by_side) as pool:
            futures = [pool.submit(work, number) for number in range(len(memory.groups))]
            try:
                return [run for future in futures for run in future.result()]
            finally:
                memory.stop()
                for future in futures:
                    future.cancel()


class MemoryRun:
    """A run of which any unit can be asked for, by any thread; a context manager.

    ``groups`` are the contexts of the units, ``budgets`` those of the run: a folder may hold more
    than were asked for.
    """

    def __init__(
        self,
        data: MemoryData,
        factory: MemoryFactory,
        budgets: Sequence[int],
        contexts: Sequence[str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """See ``run_memory``. Without a folder, what is stored goes with ``close``."""
        if not budgets or min(budgets) < 1:
            raise InvalidInputError(
                f"budget {min(budgets, default=0)}: nothing could be returned. Accepted: 1 token "
                "or more."
            )
        chosen = tuple(contexts or data.context_ids)
        self.groups = [
            chosen[start : start + CONTEXTS_OF_A_UNIT]
            for start in range(0, len(chosen), CONTEXTS_OF_A_UNIT)
        ]
        self._data, self._factory = data, factory
        self._reading, self._stopped = Lock(), Event()
        settings = describe_run(data, factory, budgets, chosen)
        self._place = None if folder else tempfile.TemporaryDirectory(prefix="personamem-memory-")
        self._folder = RunFolder(Path(self._place.name if self._place else folder or ""), settings)
        self.budgets: tuple[int, ...] = tuple(self._folder.budgets)

    def __enter__(self) -> Self:
        """Return the run."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Remove what is stored nowhere else."""
        self.stop()
        if self._place is not None:
            self._place.cleanup()

    def stop(self) -> None:
        """End the units that are under way at their next step."""
        self._stopped.set()

    def run_unit(self, number: int) -> list[ContextRun]:
        """Return the records of a unit's contexts: those stored, or it is run now."""
        with self._reading:  # The cache of contexts is for one thread at a time.
            unit = _make_unit(self._data, number, self.groups[number])
        stored = self._folder.open_unit(number)
        progress, state = stored.read()
        if progress is not None and progress.done == len(unit.steps):
            stored.finish(progress)  # It may have been killed before it had cleaned up.
            return progress.runs

        def make() -> Instance:
            return self._factory.make(stored.files)

        instance = None
        if progress is not None and state is not None:
            instance = make()
            _load(instance.system, state)
        else:
            progress = Progress([ContextRun(context_id) for context_id in unit.context_ids])

        def checkpoint(system: MemorySystem, progress: Progress) -> None:
            if self._stopped.is_set():
                raise CancelledError
            stored.checkpoint(system, progress)

        run_unit(unit, self.budgets, progress, instance, make, checkpoint)
        stored.finish(progress)
        return progress.runs


def describe_run(
    data: MemoryData, factory: MemoryFactory, budgets: Sequence[int], contexts: Sequence[str]
) -> dict[str, Any]:
    """Return what a run folder says of its run."""
    models = {name: value for name, value in asdict(factory.models).items() if name != "python"}
    return {
        "dataset": data.source,
        "split": data.split,
        "questions": len(map_questions(data)),
        "contexts": list(contexts),
        "system": factory.name,
        "budgets": list(budgets),
        "models": models,
    }


def _load(system: MemorySystem, state: Path) -> None:
    try:
        call_optional(system, "load", state)
    except Exception as error:  # An adapter may raise anything.
        raise MemoryFailure(
            f"{state}: load failed ({type(error).__name__}: {error}). Remove the folder of the run "
            "to start again."
        ) from error


def _make_unit(data: MemoryData, number: int, context_ids: Sequence[str]) -> Unit:
    steps = [
        (place, step)
        for place, context_id in enumerate(context_ids)
        for step in list_steps(data, context_id)
    ]
    return Unit(number, tuple(context_ids), tuple(steps))
