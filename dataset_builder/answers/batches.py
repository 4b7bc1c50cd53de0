"""Requests answered in batches, by an engine that takes many at once and none later.

Each outcome is stored as it comes. What follows from the outcomes of a batch makes the next one.
"""

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TypeAlias

from personamem.dataset_builder.answers.errors import ServerError
from personamem.dataset_builder.answers.filling import Filled, Follow
from personamem.dataset_builder.answers.progress import Progress
from personamem.dataset_builder.answers.records import Answer, Failure, Outcome, Request
from personamem.dataset_builder.answers.store import AnswerStore, Claim

LOOK_SECONDS = 0.5
"""Between looks at the store for answers that another run is waiting for."""

AnswerBatch: TypeAlias = Callable[[Sequence[Request]], Generator[tuple[Request, Outcome]]]
"""Yields each request of a batch with its outcome, in any order."""


def fill_in_batches(
    requests: Iterable[Request],
    store: AnswerStore,
    answer: AnswerBatch,
    *,
    report: Callable[[Progress], None] = lambda progress: None,
    follow: Follow = lambda request, outcome: None,
) -> Filled:
    """Have every request's outcome in the store; see ``Fill`` for the arguments.

    Raises:
        ServerError: no request of a batch was answered.
        StoreError: an answer cannot be stored.
    """
    return _Run(store, report, follow).fill(list(requests), answer)


class _Run:
    """What has come of the batches so far."""

    def __init__(
        self, store: AnswerStore, report: Callable[[Progress], None], follow: Follow
    ) -> None:
        self._store, self._report, self._follow = store, report, follow
        self._progress = Progress()
        self._started = time.monotonic()
        self._failures: list[tuple[Request, Failure]] = []
        self._following: list[Request] = []

    def fill(self, requests: list[Request], answer: AnswerBatch) -> Filled:
        """Have all requests answered, and those that follow from their answers."""
        self._progress = Progress(total=len(requests))
        while requests:
            due, taken = [], []
            for request in requests:
                claim = self._store.claim(request)
                if claim is Claim.OURS:
                    due.append(request)
                elif claim is Claim.TAKEN:
                    taken.append(request)
                else:
                    self._note(request, claim, is_new=False)
            if due:
                self._ask(due, answer)
            elif taken:
                time.sleep(LOOK_SECONDS)
            requests, self._following = taken + self._following, []
        return Filled(self._progress, tuple(self._failures))

    def _ask(self, due: Sequence[Request], answer: AnswerBatch) -> None:
        self._add(trouble="the engine starts", attempts=len(due))
        self._report(self._progress)
        first = len(self._failures)
        answered = 0
        try:
            # Closed before what the engine runs on is.
            with closing(answer(due)) as outcomes:
                for request, outcome in outcomes:
                    self._add(trouble="")
                    answered += self._keep(request, outcome)
        finally:
            for request in due:
                self._store.release(request.key)
        if not answered:
            # Else a wrong setting would make a dataset in which nothing was written.
            reason = self._failures[first][1].reason
            raise ServerError(
                f"The engine answers none of {len(due)} requests, the first by: {reason}"
            )

    def _keep(self, request: Request, outcome: Outcome) -> bool:
        """Return whether an outcome was one to store."""
        lasts = isinstance(outcome, Answer) or outcome.lasts
        if lasts:
            outcome = self._store.put(request, outcome)
        else:
            self._store.release(request.key)
        self._note(request, outcome, is_new=True)
        return lasts

    def _note(self, request: Request, outcome: Outcome, is_new: bool) -> None:
        if isinstance(outcome, Failure):
            self._failures.append((request, outcome))
            self._add(failed=1)
        elif not is_new:
            self._add(stored=1)
        else:
            self._add(
                answered=1,
                prompt_tokens=outcome.prompt_tokens or 0,
                completion_tokens=outcome.completion_tokens or 0,
            )
        following = self._follow(request, outcome)
        if following is not None:
            self._following.append(following)
            self._add(total=1)
        self._report(self._progress)

    def _add(self, trouble: str | None = None, **counts: int) -> None:
        now = self._progress
        sums = {name: getattr(now, name) + number for name, number in counts.items()}
        seconds = time.monotonic() - self._started
        said = now.trouble if trouble is None else trouble
        self._progress = replace(now, **sums, seconds=seconds, trouble=said)
