"""Many requests to one server: every outcome once, stored at once, whatever happens on the way.

Each request is looked up in the store, claimed, sent, stored, and handed out, and so is at once
what follows from its outcome. As many tasks as the server takes at a time, and as many again that
wait out a pause, draw from one iterator, so requests are made as late as they can be. What ends a
run (an error, a spent budget) lets requests that are under way finish: they are paid for.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from random import Random
from typing import TypeAlias

from personamem.dataset_builder.llm.cost import (
    FREE,
    Budget,
    Prices,
    bound_cost,
    cost_of_outcome,
)
from personamem.dataset_builder.llm.faults import Fault, seconds_to_wait
from personamem.dataset_builder.llm.filling import Fill, Follow, RunSummary
from personamem.dataset_builder.llm.pacing import Pacer, Stopped
from personamem.dataset_builder.llm.progress import Progress
from personamem.dataset_builder.llm.records import Failure, FailureKind, Outcome, Request
from personamem.dataset_builder.llm.server import Client, Server
from personamem.dataset_builder.llm.store import AnswerStore, Claim

START_GAP = 0.003
"""Seconds between the first requests. Those of one moment would come back, and go out again, in one
moment for ever, with server and client waiting for each other in turn."""

MOST_ASIDE = 200
"""Requests that wait for another run's answer while the run goes on with those behind them."""

_SHORTEST_LOOK, _LONGEST_LOOK = 0.02, 0.5
"""Seconds between looks at the store for an answer that another run is waiting for."""

_Results: TypeAlias = asyncio.Queue[tuple[Request, Outcome] | None]


def fill_from(server: Server) -> Fill:
    """Return a way to fill stores, which is to ask a server."""
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
    """Have every request's outcome in the store; see ``answer_all``, of which this is the whole.

    Not from within an event loop.
    """
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
        requests: drawn when they are due; what their iterator raises ends the run.
        store: where outcomes are looked up and kept.
        server: whom to ask for the others.
        prices: for ``budget`` and for the cost in ``report``.
        budget: the most to spend; needs prices, and max_tokens in every request.
        report: called with the state after every outcome, and when the server goes or comes.
        follow: called with every outcome; what it returns is asked next, as a request of its own.

    Raises:
        ServerError: the server refuses what it is sent, or has failed for too long.
        BudgetSpentError: the budget leaves no room for the next request.
        StoreError: an answer cannot be stored.
        InvalidInputError: a server, a budget or a request that cannot be used.
    """
    limit = None if budget is None else Budget(budget, prices)
    async with Client(server) as client:
        run = _Run(store, server, client, prices, limit, report, follow)
        run.progress = Progress(total=len(requests) if isinstance(requests, Sized) else None)
        async for pair in run.answer(iter(requests)):
            yield pair


class _Run:
    """What the tasks of one run share."""

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
        self._pacer = Pacer(server.concurrency, server.patience, self._note_trouble)
        # Pauses only, so no result hangs on it.
        self._random = Random()
        self._settled = asyncio.Event()
        self._started: float | None = None
        self._error: BaseException | None = None
        # Requests that another run is asking for, while the workers go on.
        self._aside: set[asyncio.Task[None]] = set()

    async def answer(self, requests: Iterator[Request]) -> AsyncIterator[tuple[Request, Outcome]]:
        width = 2 * self._server.concurrency + 8
        results: _Results = asyncio.Queue(width)
        workers = [
            asyncio.create_task(self._work(number, requests, results)) for number in range(width)
        ]

        async def close() -> None:
            await asyncio.gather(*workers, return_exceptions=True)
            while self._aside:
                await asyncio.gather(*self._aside, return_exceptions=True)
            await results.put(None)

        closer = asyncio.create_task(close())
        try:
            while (pair := await results.get()) is not None:
                yield pair
        finally:
            tasks = (closer, *workers, *self._aside)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if self._error is not None:
            raise self._error

    async def _work(self, number: int, requests: Iterator[Request], results: _Results) -> None:
        with self._stop_on_error():
            await self._pacer.pause(min(number, self._server.concurrency) * START_GAP)
            for request in requests:
                claim = self._store.claim(request)
                if claim is Claim.TAKEN and len(self._aside) < MOST_ASIDE:
                    task = asyncio.create_task(self._pursue_aside(request, results))
                    self._aside.add(task)
                    task.add_done_callback(self._aside.discard)
                    continue
                await self._pursue(request, claim, results)
                self._pacer.check()

    async def _pursue_aside(self, request: Request, results: _Results) -> None:
        with self._stop_on_error():
            await self._pursue(request, Claim.TAKEN, results)

    async def _pursue(self, request: Request, claim: Outcome | Claim, results: _Results) -> None:
        """Finish a request, and whatever follows from it."""
        while True:
            outcome = await self._finish(request, claim)
            await results.put((request, outcome))
            following = self._follow(request, outcome)
            if following is None:
                return
            self._pacer.check()
            if self.progress.total is not None:
                self.progress = self.progress.add(total=1)
            request, claim = following, self._store.claim(following)

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

    async def _finish(self, request: Request, claim: Outcome | Claim) -> Outcome:
        look = _SHORTEST_LOOK
        while claim is Claim.TAKEN:
            await self._pacer.pause(look)
            look = min(2 * look, _LONGEST_LOOK)
            claim = self._store.claim(request)
        if not isinstance(claim, Claim):
            self._note(claim, is_new=False)
            return claim
        try:
            outcome = await self._ask(request)
        finally:
            self._store.release(request.key)
        self._note(outcome, is_new=True)
        return outcome

    async def _ask(self, request: Request) -> Outcome:
        if self._budget is not None:
            self._budget.check(request)
        faults = repeats = 0
        while True:
            async with self._pacer.take_turn():
                reply = await self._send(request)
                if not isinstance(reply, Fault):
                    self._pacer.note_success()
                    if isinstance(reply, Failure) and not reply.lasts:
                        return reply
                    return self._store.put(request, reply)
                if self._pacer.note_fault(request.key, reply):
                    repeats += 1
                    faults += reply.counts
            if faults >= self._server.attempts:
                reason = f"{faults} attempts failed, the last by: {reply.what}"
                return Failure(FailureKind.UNANSWERED, reason)
            # While others are answered, a repeat need not wait long.
            hopeless = min(repeats, self._pacer.faults_in_a_row)
            await self._pacer.pause(seconds_to_wait(hopeless, reply.retry_after, self._random))

    async def _send(self, request: Request) -> Outcome | Fault:
        """Make one attempt, within the budget."""
        bound = bound_cost(request, self._prices)
        while self._budget is not None and not self._budget.reserve(bound):
            self._settled.clear()
            await self._settled.wait()
            self._pacer.check()
        self._started = self._started or time.monotonic()
        cost = 0.0
        try:
            reply = await self._client.send(request)
            if not isinstance(reply, Fault):
                cost = cost_of_outcome(request, reply, self._prices)
            elif reply.may_be_paid:
                cost = bound
            return reply
        finally:
            if self._budget is not None:
                self._budget.settle(bound, cost)
                self._settled.set()
            self.progress = self.progress.add(attempts=1, cost=cost)

    def _note(self, outcome: Outcome, is_new: bool) -> None:
        self.progress = replace(self.progress.note(outcome, is_new), seconds=self._seconds())
        self._report(self.progress)

    def _note_trouble(self, what: str) -> None:
        self.progress = replace(self.progress, trouble=what, seconds=self._seconds())
        self._report(self.progress)

    def _seconds(self) -> float:
        return 0.0 if self._started is None else time.monotonic() - self._started
