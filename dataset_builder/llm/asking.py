"""Many requests to one server, with every outcome stored at once.

Each request is looked up in the store, sent, stored and yielded, and then the request that follows
from its outcome, if there is one. More tasks than the server takes requests draw from one iterator,
so that some may wait out a pause, and requests are made as late as possible. When a run ends (by an
error or a spent budget), the requests under way still finish, since they are paid for.

The store is called in a thread of its own, so that neither a slow disk nor a locked file holds up
the requests under way, whose timeouts would be taken for errors of the server.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from random import Random
from typing import TypeAlias, TypeVar

from personamem.dataset_builder.llm.cost import (
    FREE,
    Budget,
    Prices,
    bound_cost,
    cost_of_outcome,
)
from personamem.dataset_builder.llm.filling import Fill, Follow, RunSummary
from personamem.dataset_builder.llm.pacing import Pacer, Stopped
from personamem.dataset_builder.llm.progress import Progress
from personamem.dataset_builder.llm.records import Failure, FailureKind, Outcome, Request
from personamem.dataset_builder.llm.server import Client, Server
from personamem.dataset_builder.llm.store import AnswerStore
from personamem.loaders.formats.transport import TransportError, seconds_to_wait

START_GAP = 0.003
"""Seconds between the first requests. If all were sent at one moment, they would be answered at one
moment too and sent again together, with server and client waiting for each other in turn."""

STORE_SECONDS = 2.0
"""Seconds of one call of the store after which the run is reported to wait for it."""

_Results: TypeAlias = asyncio.Queue[tuple[Request, Outcome] | None]
_Value = TypeVar("_Value")


def fill_from(server: Server) -> Fill:
    """Return a function that fills stores with the answers of a server."""
    return partial(complete_all, server=server)


def complete_all(
    requests: Iterable[Request],
    store: AnswerStore,
    server: Server,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
    follow: Follow = lambda request, outcome: None,
) -> RunSummary:
    """Run ``answer_all`` to its end and return the summary; not within an event loop."""
    last = Progress()

    def note(progress: Progress) -> None:
        nonlocal last
        last = progress
        report(progress)

    async def run() -> list[tuple[Request, Failure]]:
        failures = []
        answers = answer_all(
            requests, store, server, prices=prices, budget=budget, report=note, follow=follow
        )
        async for request, outcome in answers:
            if isinstance(outcome, Failure):
                failures.append((request, outcome))
        return failures

    failures = asyncio.run(run())
    return RunSummary(last, tuple(failures))


async def answer_all(
    requests: Iterable[Request],
    store: AnswerStore,
    server: Server,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
    follow: Follow = lambda request, outcome: None,
) -> AsyncIterator[tuple[Request, Outcome]]:
    """Yield every request with its outcome, in the order in which they come.

    Args:
        requests: drawn when they are due; an exception of the iterator ends the run.
        store: where outcomes are looked up and stored; locked once there is something to send.
        server: receives the requests without a stored outcome.
        prices: for ``budget``, and for the cost in ``report``.
        budget: the most to spend; needs prices, and max_tokens in every request.
        report: called with the state after every outcome, and when a wait begins or ends.
        follow: called with every outcome; the request that it returns is sent next.

    Raises:
        ServerError: the server refuses requests, or has failed for too long.
        BudgetSpentError: the budget leaves no room for the next request.
        StoreError: an answer cannot be stored, or another run uses the store.
        InvalidInputError: the budget or a request cannot be used.
    """
    limit = None if budget is None else Budget(budget, prices)
    async with Client(server) as client:
        run = _Run(store, server, client, prices, limit, report, follow)
        run.progress = Progress(total=len(requests) if isinstance(requests, Sized) else None)
        # Whoever stops early closes this generator only.
        async with aclosing(run.answer(iter(requests))) as pairs:
            async for pair in pairs:
                yield pair


class _Run:
    """The state that the tasks of one run share."""

    def __init__(
        self,
        store: AnswerStore,
        server: Server,
        client: Client,
        prices: Prices,
        budget: Budget | None,
        report: Callable[[Progress], None],
        follow: Follow,
    ) -> None:
        self.progress = Progress()
        self._store, self._server, self._client = store, server, client
        self._prices, self._budget, self._report, self._follow = prices, budget, report, follow
        self._pacer = Pacer(
            server.concurrency, server.patience, server.first_patience, self._note_trouble
        )
        # For pauses only: no result depends on it.
        self._random = Random()
        self._settled = asyncio.Event()
        self._started: float | None = None
        self._error: BaseException | None = None
        self._store_thread = ThreadPoolExecutor(1, "store")
        # Equal requests by their key, while the first of them is under way.
        self._waiting: dict[str, list[Request]] = {}

    async def answer(self, requests: Iterator[Request]) -> AsyncGenerator[tuple[Request, Outcome]]:
        width = 2 * self._server.concurrency + 8
        results: _Results = asyncio.Queue(width)
        workers = [
            asyncio.create_task(self._work(number, requests, results)) for number in range(width)
        ]

        async def close() -> None:
            await asyncio.gather(*workers, return_exceptions=True)
            await results.put(None)

        closer = asyncio.create_task(close())
        try:
            while (pair := await results.get()) is not None:
                yield pair
        finally:
            is_cut_off = not closer.done()
            for task in (closer, *workers):
                task.cancel()
            await asyncio.gather(closer, *workers, return_exceptions=True)
            # Answers that have come are still stored, unless the file is locked.
            with self._store.interrupt_waiting() if is_cut_off else nullcontext():
                self._store_thread.shutdown()
        if self._error is not None:
            raise self._error

    async def _work(self, number: int, requests: Iterator[Request], results: _Results) -> None:
        with self._stop_on_error():
            await self._pacer.pause(min(number, self._server.concurrency) * START_GAP)
            for request in requests:
                await self._pursue(request, results)
                self._pacer.check()

    async def _pursue(self, request: Request, results: _Results) -> None:
        """Finish a request and the requests that follow from it."""
        due = [request]
        while due:
            request = due.pop()
            if request.key in self._waiting:
                # Whoever sends the first one goes on with this one too.
                self._waiting[request.key].append(request)
                continue
            same = self._waiting[request.key] = [request]
            try:
                outcome, is_new = await self._finish(request)
            finally:
                del self._waiting[request.key]
            for one in same:
                self._note(outcome, is_new)
                is_new = False
                await results.put((one, outcome))
                following = self._follow(one, outcome)
                if following is not None:
                    self._pacer.check()
                    if self.progress.total is not None:
                        self.progress = self.progress.add(total=1)
                    due.append(following)

    @contextmanager
    def _stop_on_error(self) -> Iterator[None]:
        try:
            yield
        except Stopped:
            return
        except Exception as error:
            # The first is the cause; the others follow from it.
            self._error = self._error or error
            self._pacer.stop()
            self._settled.set()

    async def _finish(self, request: Request) -> tuple[Outcome, bool]:
        """Return the outcome of a request, and whether it is new."""
        stored = await self._call(self._store.get_or_lock, request.key)
        if stored is not None:
            return stored, False
        return await self._ask(request), True

    async def _ask(self, request: Request) -> Outcome:
        if self._budget is not None:
            self._budget.check(request)
        errors = repeats = 0
        while True:
            async with self._pacer.take_turn():
                try:
                    outcome = await self._send(request)
                except TransportError as error:
                    last = error
                    if self._pacer.note_error(request.key, error):
                        repeats += 1
                        errors += error.counts
                else:
                    self._pacer.note_success()
                    return await self._call(self._store.put, request, outcome)
            if errors >= self._server.attempts:
                reason = f"{errors} attempts failed, the last by: {last}"
                return Failure(FailureKind.UNANSWERED, reason)
            # While others are answered, a repeat need not wait long.
            hopeless = min(repeats, self._pacer.errors_in_a_row)
            await self._pacer.pause(seconds_to_wait(hopeless, last.retry_after, self._random))

    async def _send(self, request: Request) -> Outcome:
        """Make one attempt, within the budget."""
        bound = bound_cost(request, self._prices)
        while self._budget is not None and not self._budget.reserve(bound):
            self._settled.clear()
            await self._settled.wait()
            self._pacer.check()
        self._started = self._started or time.monotonic()
        cost = 0.0
        try:
            outcome = await self._client.send(request)
            cost = cost_of_outcome(request, outcome, self._prices)
            return outcome
        except TransportError as error:
            cost = bound if error.may_be_charged else 0.0
            raise
        finally:
            if self._budget is not None:
                self._budget.settle(bound, cost)
                self._settled.set()
            self.progress = self.progress.add(attempts=1, cost=cost)

    async def _call(self, function: Callable[..., _Value], *values: object) -> _Value:
        """Call the store in its thread, and report a call that takes long."""
        loop = asyncio.get_running_loop()
        call = loop.run_in_executor(self._store_thread, function, *values)
        # When the run is cut off, nobody else asks for the exception of the call.
        call.add_done_callback(lambda done: done.cancelled() or done.exception())
        done, _ = await asyncio.wait({call}, timeout=STORE_SECONDS)
        if not done:
            self._note_trouble("the store is slow, or locked by another program")
            await asyncio.wait({call})
            self._note_trouble("")
        return call.result()

    def _note(self, outcome: Outcome, is_new: bool) -> None:
        self.progress = replace(self.progress.note(outcome, is_new), seconds=self._seconds())
        self._report(self.progress)

    def _note_trouble(self, problem: str) -> None:
        self.progress = replace(self.progress, trouble=problem, seconds=self._seconds())
        self._report(self.progress)

    def _seconds(self) -> float:
        return 0.0 if self._started is None else time.monotonic() - self._started
