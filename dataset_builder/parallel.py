"""Work over several processes, with results in the order of the jobs."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from threading import Thread
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


def map_in_order(
    function: Callable[[Job], Result], jobs: Iterable[Job], workers: int
) -> Iterator[Result]:
    """Yield ``function(job)`` in the order of ``jobs``, with a bounded number waiting in memory.

    ``function`` is one of a module, since processes are started anew; with one worker there are
    none.
    """
    if workers == 1:
        yield from map(function, jobs)
        return
    waiting: deque[Future[Result]] = deque()
    with open_pool(workers, fork_after_import(function.__module__)) as pool:
        try:
            for job in jobs:
                waiting.append(pool.submit(function, job))
                if len(waiting) >= 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def fork_after_import(module: str) -> BaseContext:
    """Return a context whose processes find ``module`` imported, however many there will be.

    They are copies of a process that did nothing but import: unlike a copy of this one, they hold
    no thread's lock. Only the first call of a program decides what is imported before the copies.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([module])
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
