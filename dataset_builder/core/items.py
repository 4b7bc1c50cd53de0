"""Questions as policies see them, whatever release they come from, and what policies return."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from personamem.loaders.formats.schema import Annotation, Question

READ_LETTERS = 20_000
"""Policies read this much of a text: no option needs more, and a huge cell costs no more."""

Scores = list[NDArray[np.float64]]
"""What a policy thinks: one array a question, one score an option; the highest is its answer."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question as a blind policy sees it, and what an audit knows beside.

    ``group`` joins the rows whose answers were drawn together: those of one thread of ours, rows of
    equal wording elsewhere. A classifier is never tested on a group that it was trained on, and
    rows of different groups are independent. ``quad`` and ``persona`` identify the row within its
    group; ``quad`` is empty where a release has no quads, and so is ``level``, how the evidence is
    told, where nothing says it.
    """

    question_id: str
    question_type: str
    question: str
    options: tuple[str, ...]
    gold: int
    group: str
    quad: str = ""
    persona: int = -1
    level: str = ""


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
                question=question.user_question_or_message,
                options=question.options,
                gold=question.answer_index,
                group=_name_group(annotation) if annotation else wording,
                quad=str(annotation.quad_id) if annotation else "",
                persona=question.persona_id,
                level=str(annotation.level) if annotation else "",
            )
        )
    return tuple(items)


def _name_group(annotation: Annotation) -> str:
    """Return the thread; both trait threads of a cohort count as one.

    Their shifts are drawn again until no persona owns two traits at odds, so they are dependent.
    """
    thread = str(annotation.thread_id)
    cohort, _, rest = thread.partition("-")
    return f"{cohort}-trait" if rest.startswith("trait-") else thread
