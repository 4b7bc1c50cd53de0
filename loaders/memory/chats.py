"""The timeline of a context of chats: what a memory may know, step by step.

Sessions are added in the order of time. A question is asked when all that it sees has been added
and nothing after: a session that its end index cuts is added up to there, and the rest later.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import pairwise

from personamem.loaders.formats.schema import Question
from personamem.loaders.memory.protocol import DatedMessage
from personamem.loaders.memory.steps import AddStep, AskStep, Step, name_part, name_user
from personamem.loaders.personamem.dataset import PersonaMem

_FIRST_HOUR = 9
UNDATED = date(2000, 1, 1)
"""The day of the first session where a release has no dates; the others follow day by day."""


def list_chat_steps(data: PersonaMem, context_id: str) -> Iterator[Step]:
    """Yield what happens to a memory of one context, in order."""
    questions = data.questions_of(context_id)
    if not questions:
        return
    user = name_user(context_id)
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
        yield AddStep(user, name_part(_name_session(number), start - starts[number]), texts)
        while question is not None and question.end_index_in_shared_context <= end:
            yield _ask(data, question, user, starts, stamp.date())
            question = next(waiting, None)
        if question is None:
            return


def _name_session(number: int) -> str:
    return f"s{number}"


def _ask(
    data: PersonaMem, question: Question, user: str, starts: Sequence[int], day: date
) -> AskStep:
    def find_sessions(indices: Sequence[int]) -> list[str]:
        return list(map(_name_session, sorted({bisect_right(starts, i) - 1 for i in indices})))

    indices = data.evidence_indices(question)
    evidence = None if indices is None else tuple((each,) for each in find_sessions(indices))
    annotation = data.evidence_for(question)
    related = None
    if annotation is not None and evidence is not None:
        mentioned = find_sessions(annotation.related_message_indices)
        related = frozenset(each for each in mentioned if (each,) not in evidence)
    return AskStep(
        user=user,
        question_id=question.question_id,
        query=question.user_question_or_message,
        as_of=annotation.asked_on if annotation else day.isoformat(),
        evidence=evidence,
        related=related,
    )


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
