"""Columns: a question that is asked in a context, as it is stored.

Distances follow the official card: from the question back to the latest message that carries the
answer, in sessions ("blocks") and in o200k_base tokens, and as a share of the context that is seen.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.packing import Context
from personamem.dataset_builder.families.personamem.lives.wording import Quad
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.schema import Annotation, Question


class QuestionError(PersonamemError):
    """A question that the world or the context does not bear out: a defect of the builder."""


@dataclass(frozen=True, slots=True)
class Row:
    """One question as it is stored: in ``benchmark``, and in ``annotations``."""

    question: Question
    annotation: Annotation


class ContextIndex:
    """Running totals over a context, so that every row is found without summing it again."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.tokens = (0, *accumulate(context.tokens))
        self.letters = (0, *accumulate(len(m["content"]) for m in context.messages))
        self.ends = (*context.session_starts[1:], len(context.messages))
        unrelated = []
        for topic, start, end in zip(
            context.session_topics, context.session_starts, self.ends, strict=True
        ):
            unrelated.append(0 if topic else self.tokens[end] - self.tokens[start])
        self.unrelated = (0, *accumulate(unrelated))

    def session_at(self, message: int) -> int:
        """Return the number of the session that holds message ``message``."""
        return bisect_right(self.context.session_starts, message) - 1


def state_row(
    index: ContextIndex,
    context_id: str,
    quad: Quad,
    *,
    question_id: str,
    gold: int,
    session: int,
    evidence: Sequence[int],
    related: Sequence[int],
    described: Mapping[str, Any],
) -> Row:
    """Return the row of a quad that is asked at the end of ``session``.

    ``evidence`` and ``related`` are message indices, ascending. ``described`` are the annotation
    columns that follow from the quad and the persona.
    """
    end, latest = index.ends[session], max(evidence)
    distance = index.tokens[end] - index.tokens[latest + 1]
    letters = [f"({letter}) {text}" for letter, text in zip("abcd", quad.options, strict=True)]
    question = Question(
        persona_id=index.context.persona.persona_id,
        question_id=question_id,
        question_type=quad.plan.question_type,
        topic=quad.plan.topic,
        context_length_in_tokens=index.tokens[end],
        context_length_in_letters=index.letters[end],
        distance_to_ref_in_blocks=session - index.session_at(latest),
        distance_to_ref_in_tokens=distance,
        num_irrelevant_tokens=index.unrelated[session + 1],
        distance_to_ref_proportion_in_context=f"{100 * distance / index.tokens[end]:.2f}%",
        user_question_or_message=quad.question,
        correct_answer=f"({schema.LETTERS[gold]})",
        all_options=json.dumps(letters, ensure_ascii=False),
        shared_context_id=context_id,
        end_index_in_shared_context=end,
        options=tuple(quad.options),
        answer_index=gold,
    )
    annotation = Annotation(
        question_id=question_id,
        asked_on=index.context.session_dates[session].isoformat(),
        evidence_message_indices=tuple(evidence),
        related_message_indices=tuple(related),
        sessions_per_answer=len({index.session_at(i) for i in evidence}),
        distractors=len({index.session_at(i) for i in set(related) - set(evidence)}),
        **described,
    )
    return Row(question, annotation)


def name_question(config: PersonaMemConfig, quad_id: str, persona_index: int) -> str:
    """Return an id in the form of a uuid; a hash, so that the order of ids tells nothing."""
    digest = hashlib.sha256(f"{config.seed} {quad_id} {persona_index}".encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))
