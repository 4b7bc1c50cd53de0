"""What an audit looks at: the questions of one split, whatever release they come from."""

from collections.abc import Iterable
from dataclasses import dataclass

from personamem.loaders import PersonaMem


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


def items_of(data: PersonaMem) -> tuple[Item, ...]:
    """Return the questions of ``data`` in file order."""
    return tuple(_make_items(data))


def _make_items(data: PersonaMem) -> Iterable[Item]:
    for question in data.questions:
        annotation = data.evidence_for(question)
        wording = "\x1f".join((question.user_question_or_message, *sorted(question.options)))
        yield Item(
            question_id=question.question_id,
            question_type=question.question_type,
            topic=question.topic,
            question=question.user_question_or_message,
            options=question.options,
            gold=question.answer_index,
            group=annotation.quad_id if annotation else wording,
        )
