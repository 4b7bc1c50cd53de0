"""The timeline of a context: what a memory may know, step by step.

Sessions are added in the order of time. A question is asked when all that it sees has been added
and nothing after: a session that its end index cuts is added up to there, and the rest later.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from personamem.loaders.formats.schema import Annotation, Question
from personamem.loaders.memory.protocol import DatedMessage
from personamem.loaders.personamem.dataset import PersonaMem

_FIRST_HOUR = 9
UNDATED = date(2000, 1, 1)
"""The day of the first session where a release has no dates; the others follow day by day."""


@dataclass(frozen=True, slots=True)
class AddStep:
    """A session, or a part of one, to be added; ``number`` is that of the session."""

    user: str
    session_id: str
    number: int
    messages: tuple[DatedMessage, ...]


@dataclass(frozen=True, slots=True)
class AskStep:
    """A question to be asked on the day ``as_of``; ``evidence`` and ``related`` are session ids.

    ``related`` hold mentions of the other options, or of the right one at another time. Either is
    None where the release does not say.
    """

    user: str
    question: Question
    as_of: str
    evidence: frozenset[str] | None
    related: frozenset[str] | None


def list_steps(data: PersonaMem, context_id: str) -> Iterator[AddStep | AskStep]:
    """Yield what happens to a memory of one context, in order."""
    questions = data.questions_of(context_id)
    if not questions:
        return
    user = name_user(questions[0])
    messages, starts = data.context(context_id), data.session_starts(context_id)
    moments = _list_moments(data.session_dates(context_id), len(starts))
    cuts = sorted({*starts, *(q.end_index_in_shared_context for q in questions)})
    bounds = [cut for cut in cuts if cut < len(messages)] + [len(messages)]
    waiting = iter(questions)
    question = next(waiting, None)
    for start, end in pairwise(bounds):
        number = bisect_right(starts, start) - 1
        stamp = moments[number]
        texts = tuple(
            DatedMessage(role=m["role"], content=m["content"], timestamp=stamp.isoformat())
            for m in messages[start:end]
        )
        yield AddStep(user, name_session(number, start, starts), number, texts)
        while question is not None and question.end_index_in_shared_context <= end:
            yield _ask(data, question, user, starts, stamp.date())
            question = next(waiting, None)
        if question is None:
            return


def name_user(question: Question) -> str:
    """Return the name of a question's user."""
    return f"user-{question.shared_context_id}"


def name_session(number: int, start: int, starts: Sequence[int]) -> str:
    """Return the id of a session, or of the part of it that begins at message ``start``."""
    return f"s{number}" if start == starts[number] else f"s{number}-{start - starts[number]}"


def _ask(
    data: PersonaMem, question: Question, user: str, starts: Sequence[int], day: date
) -> AskStep:
    def find_sessions(indices: Sequence[int]) -> frozenset[str]:
        return frozenset(f"s{bisect_right(starts, index) - 1}" for index in indices)

    indices = data.evidence_indices(question)
    evidence = None if indices is None else find_sessions(indices)
    annotation: Annotation | None = data.evidence_for(question)
    if annotation is None or evidence is None:
        return AskStep(user, question, day.isoformat(), evidence, None)
    related = find_sessions(annotation.related_message_indices)
    return AskStep(user, question, annotation.asked_on, evidence, related - evidence)


def _list_moments(dates: Sequence[str], sessions: int) -> list[datetime]:
    """Return the moment of each session: sessions of one day are an hour apart."""
    days = [date.fromisoformat(day) for day in dates] or [
        UNDATED + timedelta(days=number) for number in range(sessions)
    ]
    moments: list[datetime] = []
    for day in days:
        moment = datetime.combine(day, time(_FIRST_HOUR))
        if moments and moments[-1].date() == day:
            moment = moments[-1] + timedelta(hours=1)
        moments.append(moment)
    return moments
