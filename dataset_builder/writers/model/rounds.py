"""Rounds of writing: ask for all sessions, read the answers, ask again for those refused.

A session has up to four attempts, each with the reasons against those before it; then the embedded
writer's text stands. Which text stands is a function of the briefs, the settings and the store
alone, so a dataset can be made again without a server. For that, a request that stayed without an
answer is stored as given up, and is not asked again, even if the server would answer by now.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from personamem.dataset_builder.answers import (
    FREE,
    AnswerStore,
    BudgetSpentError,
    Estimate,
    Failure,
    FailureKind,
    Outcome,
    Prices,
    Progress,
    Request,
    Server,
    estimate,
    fill_store,
)
from personamem.dataset_builder.config import ModelSettings
from personamem.dataset_builder.errors import InvalidInputError
from personamem.dataset_builder.sessions import Brief, WrittenSession
from personamem.dataset_builder.writers.model.prompts import request_session
from personamem.dataset_builder.writers.model.verify import Flaw, FlawError, read_session

MOST_ROUNDS = 4
"""The first attempt and three rewrites."""

MOST_UNANSWERED = 2
"""Rounds in which a request may stay without an answer, each after all attempts of the server."""

NO_ANSWER = "no answer"
"""Beside the flaws, what a session fell back for."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What came of all sessions; ``written[i]`` is None where brief i fell back.

    ``rewritten`` are the sessions that took more than one attempt; ``refusals`` counts attempts by
    what was wrong with them, ``fallbacks`` sessions by what was wrong with their last.
    """

    written: tuple[WrittenSession | None, ...]
    rewritten: int
    refusals: Mapping[str, int]
    fallbacks: Mapping[str, int]


def write_sessions(
    briefs: Sequence[Brief],
    settings: ModelSettings,
    store: AnswerStore,
    server: Server | None = None,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[int, Progress], None] = lambda attempt, progress: None,
) -> Conclusion:
    """Have every session written, from the store as far as it goes, then by ``server``.

    ``report`` gets the number of the round, from 1, and how far it is.

    Raises:
        InvalidInputError: without a server, answers that the store lacks.
        ServerError, BudgetSpentError, StoreError: see ``answer_all``; run again to go on.
    """
    drafts = [_Draft(brief, settings) for brief in briefs]
    open_drafts = _advance(drafts, store)
    if open_drafts and server is None:
        raise InvalidInputError(
            f"{store.path} lacks answers for {len(open_drafts):,} of {len(drafts):,} sessions by "
            f"{settings.name!r}. Accepted: a store that holds them all (written with the same "
            "settings and version), or a server that writes them."
        )
    number, spent = 0, 0.0
    while open_drafts and server is not None:
        number += 1
        filled = fill_store(
            [draft.request for draft in open_drafts],
            store,
            server,
            prices=prices,
            budget=_subtract(budget, spent),
            report=lambda progress, number=number: report(number, progress),  # type: ignore[misc]
        )
        spent += filled.progress.cost
        _give_up(open_drafts, filled.failures, store)
        open_drafts = _advance(open_drafts, store)
    return _conclude(drafts)


def estimate_sessions(
    briefs: Sequence[Brief], settings: ModelSettings, prices: Prices, store: AnswerStore
) -> Estimate:
    """Return what the next round takes; sessions that need no more of it count as stored."""
    drafts = [_Draft(brief, settings) for brief in briefs]
    _advance(drafts, store)
    return estimate((draft.request for draft in drafts), prices, store)


@dataclass(slots=True)
class _Draft:
    """One session on its way: the request that is next or was last, and what was refused."""

    brief: Brief
    settings: ModelSettings
    request: Request = field(init=False)
    written: WrittenSession | None = None
    is_open: bool = True
    refusals: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    unanswered: int = 0

    def __post_init__(self) -> None:
        self.request = request_session(self.brief, self.settings)

    def take(self, outcome: Outcome) -> None:
        """Read what came of the request; go on to the next where it was refused."""
        if isinstance(outcome, Failure) and outcome.kind is not FailureKind.TOO_LONG:
            # The same prompt with more in it would be refused as well.
            self.refusals.append(NO_ANSWER)
            self.is_open = False
            return
        try:
            self.written = _read(self.brief, outcome)
            self.is_open = False
        except FlawError as error:
            self.refusals.append(error.flaw)
            self.faults.append(error.reason)
            self.is_open = len(self.faults) < MOST_ROUNDS
            if self.is_open:
                self.request = request_session(self.brief, self.settings, self.faults)
                self.unanswered = 0


def _read(brief: Brief, outcome: Outcome) -> WrittenSession:
    if isinstance(outcome, Failure):
        raise FlawError(Flaw.LENGTH, "The answer was far too long.")
    if outcome.finish_reason == "length":
        raise FlawError(Flaw.LENGTH, "The answer was cut off, as it was too long; write less.")
    return read_session(brief, outcome.text)


def _advance(drafts: Sequence[_Draft], store: AnswerStore) -> list[_Draft]:
    """Take what the store holds; return the drafts that wait for a request it does not hold."""
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


def _conclude(drafts: Sequence[_Draft]) -> Conclusion:
    refusals = Counter(flaw for draft in drafts for flaw in draft.refusals)
    fallbacks = Counter(draft.refusals[-1] for draft in drafts if draft.written is None)
    return Conclusion(
        written=tuple(draft.written for draft in drafts),
        rewritten=sum(draft.written is not None and bool(draft.refusals) for draft in drafts),
        refusals=dict(sorted((str(flaw), count) for flaw, count in refusals.items())),
        fallbacks=dict(sorted((str(flaw), count) for flaw, count in fallbacks.items())),
    )
