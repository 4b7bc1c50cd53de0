"""Work over several processes, with results in the order of the jobs."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from multiprocessing.forkserver import ensure_running
from threading import Thread
from typing import Protocol, Self, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


class Pool(Protocol):
    """Who does jobs, here or elsewhere; a context manager. What a job needs, it carries."""

    def __enter__(self) -> Self:
        """Get ready to work."""

    def __exit__(self, *error: object) -> None:
        """End the work, and forget the jobs that have not begun."""

    def start(self, function: Callable[[Job], Result], job: Job) -> Callable[[], Result]:
        """Begin a job that goes on beside others; what is returned waits for its result."""

    def map_in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Generator[Result]:
        """Yield ``function(job)`` in the order of ``jobs``; a bounded number waits in memory."""


class Workers:
    """Processes that take jobs, kept from one lot of jobs to the next with all they have loaded.

    A context manager. Functions that are given are those of a module, since processes are started
    anew; with one worker there are none, and jobs are done when their results are taken.

    Args:
        count: how many processes work at a time.
        modules: what every process has imported when it starts.
    """

    def __init__(self, count: int, modules: Sequence[str]) -> None:
        """Set up the processes; they are started by the first jobs."""
        self._count = count
        self._pool = open_pool(count, fork_after_import(modules)) if count > 1 else None

    def __enter__(self) -> "Workers":
        """Return itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the processes, and forget the jobs that have not begun."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def start(self, function: Callable[[Job], Result], job: Job) -> Callable[[], Result]:
        """Begin a job that goes on beside others; what is returned waits for its result."""
        if self._pool is None:
            return partial(function, job)
        return self._pool.submit(function, job).result

    def map_in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Generator[Result]:
        """Yield ``function(job)`` in the order of ``jobs``; a bounded number waits in memory."""
        if self._pool is None:
            yield from map(function, jobs)
            return
        waiting: deque[Future[Result]] = deque()
        for job in jobs:
            waiting.append(self._pool.submit(function, job))
            if len(waiting) >= 2 * self._count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def import_ahead(modules: Sequence[str]) -> None:
    """Begin to import ``modules`` for the processes of later ``Workers``, beside what follows."""
    fork_after_import(modules)
    ensure_running()


def fork_after_import(modules: Sequence[str]) -> BaseContext:
    """Return a context whose processes find ``modules`` imported, however many there will be.

    They are copies of a process that did nothing but import: unlike a copy of this one, they hold
    no thread's lock. Only the first call of a program decides what is imported before the copies.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(list(modules))
    return context


def open_pool(workers: int, context: BaseContext) -> ProcessPoolExecutor:
    """Return a pool whose processes end when this one does, even if it is killed."""
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    # The processes of a pool hold both ends of its pipes, so without this they would wait for ever.
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
