"""Requests answered in batches, by an engine that takes all of them at once.

Each outcome is stored as it comes. The requests that follow from a batch make the next one.
"""

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import TypeAlias

from personamem.dataset_builder.llm.errors import ServerError
from personamem.dataset_builder.llm.filling import Follow, RunSummary
from personamem.dataset_builder.llm.progress import Progress
from personamem.dataset_builder.llm.records import Answer, Failure, Outcome, Request
from personamem.dataset_builder.llm.store import AnswerStore

AnswerBatch: TypeAlias = Callable[[Sequence[Request]], Generator[tuple[Request, Outcome]]]
"""Yields each request of a batch with its outcome, in any order."""


def fill_in_batches(
    requests: Iterable[Request],
    store: AnswerStore,
    answer: AnswerBatch,
    *,
    report: Callable[[Progress], None] = lambda progress: None,
    follow: Follow = lambda request, outcome: None,
) -> RunSummary:
    """Fill a store with the outcomes of requests; see ``Fill`` for the arguments.

    Raises:
        ServerError: no request was answered, for reasons that may concern all requests.
        StoreError: an answer cannot be stored, or another run uses the store.
    """
    return _Run(store, report, follow).fill(list(requests), answer)


class _Run:
    """The outcomes of the batches so far."""

    def __init__(
        self, store: AnswerStore, report: Callable[[Progress], None], follow: Follow
    ) -> None:
        self._store, self._report, self._follow = store, report, follow
        self._progress = Progress()
        self._started = time.monotonic()
        self._failures: list[tuple[Request, Failure]] = []
        self._following: list[Request] = []

    def fill(self, requests: list[Request], answer: AnswerBatch) -> RunSummary:
        """Have all requests answered, and those that follow from their answers."""
        self._progress = Progress(total=len(requests))
        while requests:
            due: dict[str, Request] = {}
            same: list[Request] = []
            for request in requests:
                if request.key in due:
                    same.append(request)
                elif (stored := self._store.get_or_lock(request.key)) is not None:
                    self._note(request, stored, is_new=False)
                else:
                    due[request.key] = request
            if due:
                self._ask(list(due.values()), answer)
            # Equal requests find the answer in the store; if there is none, they are sent again.
            requests, self._following = same + self._following, []
        return RunSummary(self._progress, tuple(self._failures))

    def _ask(self, due: Sequence[Request], answer: AnswerBatch) -> None:
        started = self._progress.add(attempts=len(due))
        self._progress = replace(started, trouble="the engine starts")
        self._report(self._progress)
        # Closed before what the engine runs on is.
        with closing(answer(due)) as outcomes:
            for request, outcome in outcomes:
                self._progress = replace(self._progress, trouble="")
                if isinstance(outcome, Answer) or outcome.lasts:
                    outcome = self._store.put(request, outcome)
                self._note(request, outcome, is_new=True)
        passing = [failure for _, failure in self._failures if not failure.lasts]
        if passing and not self._progress.answered:
            # Otherwise a wrong setting would make a dataset in which nothing was written.
            raise ServerError(
                f"The engine answers none of {len(due)} requests, the first by: {passing[0].reason}"
            )

    def _note(self, request: Request, outcome: Outcome, is_new: bool) -> None:
        if isinstance(outcome, Failure):
            self._failures.append((request, outcome))
        seconds = time.monotonic() - self._started
        self._progress = replace(self._progress.note(outcome, is_new), seconds=seconds)
        following = self._follow(request, outcome)
        if following is not None:
            self._following.append(following)
            self._progress = self._progress.add(total=1)
        self._report(self._progress)
