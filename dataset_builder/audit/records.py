"""What an audit looks at: questions and contexts of one split, whatever release they come from."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.schema import Annotation, Message, Question

Scores = list[NDArray[np.float64]]
"""What a policy thinks: one array a question, one score an option; the highest is its answer."""


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """One context with what its file states about it.

    ``session_starts`` are message indices. Official releases state no topics, dates and totals:
    there ``session_topics`` and ``session_dates`` are empty, ``persona_id`` is -1, the totals None.
    """

    context_id: str
    persona_id: int
    messages: Sequence[Message]
    session_starts: tuple[int, ...]
    session_topics: tuple[str, ...] = ()
    session_dates: tuple[str, ...] = ()
    num_tokens: int | None = None
    num_letters: int | None = None

    def session_at(self, message: int) -> int:
        """Return the number of the session that holds message ``message``."""
        return bisect_right(self.session_starts, message) - 1

    def session_ending_at(self, end: int) -> int | None:
        """Return the number of the session whose last message is ``end - 1``, or None."""
        ends = (*self.session_starts[1:], len(self.messages))
        return ends.index(end) if end in ends else None


@dataclass(frozen=True, slots=True)
class Item:
    """One question as a blind policy sees it, and what an audit knows beside.

    ``group`` joins rows that share question and options (a quad of ours; elsewhere rows of equal
    wording), so that a classifier is never tested on a wording it was trained on.
    """

    question_id: str
    question_type: str
    topic: str
    question: str
    options: tuple[str, ...]
    gold: int
    group: str


def make_items(
    questions: Iterable[Question], annotations: Mapping[str, Annotation] | None
) -> tuple[Item, ...]:
    """Return ``questions`` as blind policies see them, in the given order."""
    items = []
    for question in questions:
        annotation = (annotations or {}).get(question.question_id)
        wording = "\x1f".join((question.user_question_or_message, *sorted(question.options)))
        items.append(
            Item(
                question_id=question.question_id,
                question_type=question.question_type,
                topic=question.topic,
                question=question.user_question_or_message,
                options=question.options,
                gold=question.answer_index,
                group=annotation.quad_id if annotation else wording,
            )
        )
    return tuple(items)
