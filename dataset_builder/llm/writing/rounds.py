"""Generation with checks: request all items, read each answer, and request refused ones again.

An item is a chat, or any other text that a model writes. It has up to four attempts, each with
the reasons against those before it; then a text of the package is used. Which text is used is
a function of the items and the store alone, so a dataset can be built again without a server. To
that end, a request that remains unanswered is stored as given up and not sent again, even if the
server would answer by then.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from personamem.dataset_builder.llm import (
    FREE,
    AnswerStore,
    BudgetSpentError,
    Estimate,
    Failure,
    FailureKind,
    Fill,
    Outcome,
    Prices,
    Progress,
    Request,
    estimate,
)
from personamem.dataset_builder.llm.writing.prose import RejectedTextError, ValidationIssue
from personamem.loaders.formats.errors import InvalidInputError

MOST_ROUNDS = 4
"""The first attempt and three rewrites."""

MOST_UNANSWERED = 2
"""Rounds in which a request may remain unanswered, each after all attempts."""

NO_ANSWER = "no answer"
"""Beside the issues of ``ValidationIssue``, a reason to use a text of the package."""


class GenerationItem(Protocol):
    """A text that a model is to write: its request, and the reading of an answer."""

    @property
    def kind(self) -> str:
        """The plural noun under which it is counted."""
        ...

    def request(self, faults: Sequence[str]) -> Request:
        """Return the request; ``faults`` are the reasons against earlier attempts, in order.

        Every attempt has to be another request, even after the same reason twice.
        """
        ...

    def read(self, text: str) -> Any:
        """Return the content of an answer; raise RejectedTextError if it is refused."""
        ...


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The result of an item: the content, or None to use a text of the package.

    ``refusals`` are the issues of the refused attempts, in order.
    """

    written: Any
    refusals: tuple[str, ...]


def write_items(
    items: Sequence[GenerationItem],
    store: AnswerStore,
    fill: Fill | None = None,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[int, Progress], None] = lambda attempt, progress: None,
) -> list[Conclusion]:
    """Have every item written, from the store as far as it goes, then by ``fill``.

    A refused item is requested again at once; unanswered ones wait for another round. ``report`` is
    called with the number of the round, from 1, and its progress.

    Raises:
        InvalidInputError: the store lacks answers, and there is no ``fill``.
        ServerError, BudgetSpentError, StoreError: see ``answer_all``; run again to go on.
    """
    drafts = [_Draft(item) for item in items]
    open_drafts = _advance(drafts, store)
    if open_drafts and fill is None:
        raise InvalidInputError(
            f"{store.path} lacks answers of {open_drafts[0].request.model!r} for "
            f"{_count_kinds(open_drafts, drafts)}. Accepted: a store that holds them all (written "
            "with the same settings and version), or a server or engine that writes them."
        )
    number, spent = 0, 0.0
    while open_drafts and fill is not None:
        number += 1
        filled = fill(
            [draft.request for draft in open_drafts],
            store,
            prices=prices,
            budget=_subtract(budget, spent),
            report=lambda progress, number=number: report(number, progress),  # type: ignore[misc]
            follow=_Follower(open_drafts),
        )
        spent += filled.progress.cost
        _give_up(open_drafts, filled.failures, store)
        open_drafts = _advance(open_drafts, store)
    return [Conclusion(draft.written, tuple(draft.refusals)) for draft in drafts]


def estimate_items(items: Sequence[GenerationItem], prices: Prices, store: AnswerStore) -> Estimate:
    """Return what the next round takes; items that need no further answer count as stored."""
    drafts = [_Draft(item) for item in items]
    _advance(drafts, store)
    return estimate((draft.request for draft in drafts), prices, store)


@dataclass(slots=True)
class _Draft:
    """The state of one item: its next or last request, and what was refused."""

    item: GenerationItem
    request: Request = field(init=False)
    written: Any = None
    is_open: bool = True
    refusals: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    unanswered: int = 0

    def __post_init__(self) -> None:
        self.request = self.item.request(())

    def take(self, outcome: Outcome) -> None:
        """Read the outcome of the request; prepare the next one if it is refused."""
        if isinstance(outcome, Failure) and outcome.kind is not FailureKind.TOO_LONG:
            # The same prompt with more in it would be refused as well.
            self.refusals.append(NO_ANSWER)
            self.is_open = False
            return
        try:
            self.written = _read(self.item, outcome)
            self.is_open = False
        except RejectedTextError as error:
            self.refusals.append(error.flaw)
            self.faults.append(error.reason)
            self.is_open = len(self.faults) < MOST_ROUNDS
            if self.is_open:
                self.request = self.item.request(self.faults)
                self.unanswered = 0


class _Follower:
    """Passes outcomes to drafts as they come, and returns the next request of each draft."""

    def __init__(self, drafts: Sequence[_Draft]) -> None:
        # Items with the same prompt share requests and outcomes.
        self._waiting: dict[str, list[_Draft]] = {}
        for draft in drafts:
            self._wait(draft)

    def __call__(self, request: Request, outcome: Outcome) -> Request | None:
        draft = self._waiting[request.key].pop()
        if isinstance(outcome, Failure) and not outcome.lasts:
            return None
        draft.take(outcome)
        if not draft.is_open:
            return None
        self._wait(draft)
        return draft.request

    def _wait(self, draft: _Draft) -> None:
        self._waiting.setdefault(draft.request.key, []).append(draft)


def _read(item: GenerationItem, outcome: Outcome) -> Any:
    if isinstance(outcome, Failure):
        raise RejectedTextError(ValidationIssue.LENGTH, "The answer was far too long.")
    if outcome.finish_reason == "length":
        raise RejectedTextError(
            ValidationIssue.LENGTH, "The answer was cut off, as it was too long; write less."
        )
    return item.read(outcome.text)


def _advance(drafts: Sequence[_Draft], store: AnswerStore) -> list[_Draft]:
    """Read stored outcomes; return the drafts whose next request has none."""
    for draft in drafts:
        while draft.is_open and (outcome := store.get(draft.request.key)) is not None:
            draft.take(outcome)
    return [draft for draft in drafts if draft.is_open]


def _give_up(
    drafts: Sequence[_Draft], failures: Sequence[tuple[Request, Failure]], store: AnswerStore
) -> None:
    reasons = {request.key: failure for request, failure in failures if not failure.lasts}
    for draft in drafts:
        failure = reasons.get(draft.request.key)
        if failure is None:
            continue
        draft.unanswered += 1
        if draft.unanswered >= MOST_UNANSWERED:
            store.put(draft.request, Failure(FailureKind.GIVEN_UP, failure.reason))


def _subtract(budget: float | None, spent: float) -> float | None:
    if budget is None or spent == 0:
        return budget
    if spent >= budget:
        raise BudgetSpentError(
            f"The budget of {budget:g} is spent. All answers so far are stored; run again with a "
            "budget to go on."
        )
    return budget - spent


def _count_kinds(some: Sequence[_Draft], of: Sequence[_Draft]) -> str:
    """Return how many of all items ``some`` are, by kind: "3 of 28 sessions"."""
    counts = Counter(draft.item.kind for draft in some)
    totals = Counter(draft.item.kind for draft in of)
    return ", ".join(f"{counts[kind]:,} of {totals[kind]:,} {kind}" for kind in sorted(counts))
