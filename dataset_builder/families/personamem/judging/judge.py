"""Judging runs: a request a reply, all answers stored, and what comes of them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from personamem.dataset_builder.families.personamem.judging.replies import OpenRun
from personamem.dataset_builder.llm import (
    FREE,
    Answer,
    AnswerStore,
    Fill,
    Prices,
    Progress,
    Request,
)
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personamem.version2.secrets import leaks_secret
from personamem.tasks.personamem_v2.judging.replies import OpenReply
from personamem.tasks.personamem_v2.judging.rubrics import make_messages
from personamem.tasks.personamem_v2.judging.verdicts import read_verdict

Status = Literal["judged", "leaked", "empty", "unreadable", "failed"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of one reply.

    ``score`` is from 0 to 1: the judge's, 0 for an empty reply and for one that holds a
    confidential value, whatever the judge says. It is None where the verdict cannot be read or the
    judge gave none: such replies count in no mean. ``verdict`` is the judge's text.
    """

    reply: OpenReply
    status: Status
    score: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Judge:
    """Who judges: a model by its name on the server, with room for its reply in tokens."""

    model: str
    max_tokens: int

    def iterate_requests(self, runs: Sequence[OpenRun]) -> Iterator[Request]:
        """Yield a request for each reply that is not empty."""
        for run in runs:
            for reply in run.replies:
                if reply.text:
                    yield self.request(reply)

    def request(self, reply: OpenReply) -> Request:
        """Return the request for the grade of one reply."""
        return Request(
            model=self.model,
            messages=make_messages(reply),
            parameters={"temperature": 0, "max_tokens": self.max_tokens},
        )


def judge_runs(
    runs: Sequence[OpenRun],
    judge: Judge,
    store: AnswerStore,
    fill: Fill | None,
    *,
    prices: Prices = FREE,
    budget: float | None = None,
    report: Callable[[Progress], None] = lambda progress: None,
) -> list[list[Judgement]]:
    """Have replies judged, each once, and return what became of them, run by run.

    Without ``fill`` the store alone answers.

    Raises:
        InvalidInputError: without ``fill``, if the store lacks a verdict.
        ServerError, BudgetSpentError, StoreError: see ``answer_all``; what was paid is stored.
    """
    if fill is not None:
        fill(list(judge.iterate_requests(runs)), store, prices=prices, budget=budget, report=report)
    found = [[conclude(reply, judge, store) for reply in run.replies] for run in runs]
    lacking = sum(judgement is None for run in found for judgement in run)
    if lacking and fill is None:
        raise InvalidInputError(
            f"{store.path} lacks {lacking:,} verdicts of {judge.model!r}. Accepted: --base-url "
            "with the address of a server that gives them."
        )
    return [
        [
            judgement or Judgement(reply, "failed", None, "")
            for reply, judgement in zip(run.replies, judgements, strict=True)
        ]
        for run, judgements in zip(runs, found, strict=True)
    ]


def conclude(reply: OpenReply, judge: Judge, store: AnswerStore) -> Judgement | None:
    """Return what became of a reply; None where nobody was asked yet."""
    if not reply.text:
        return Judgement(reply, "empty", 0.0, "")
    outcome = store.get(judge.request(reply).key)
    if outcome is None:
        return None
    if not isinstance(outcome, Answer):
        return Judgement(reply, "failed", None, outcome.reason)
    if leaks_secret(reply.text, reply.secrets):
        return Judgement(reply, "leaked", 0.0, outcome.text)
    score = read_verdict(outcome.text)
    return Judgement(reply, "unreadable" if score is None else "judged", score, outcome.text)


def take_mean(judgements: Sequence[Judgement]) -> float:
    """Return the mean of the scores that there are; NaN of none."""
    scores = [judgement.score for judgement in judgements if judgement.score is not None]
    return sum(scores) / len(scores) if scores else math.nan
