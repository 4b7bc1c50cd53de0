"""Counts: every number that a context and its questions state, counted again from the text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from personamem.dataset_builder.core.findings import Check, Section, Violations
from personamem.loaders.formats.schema import SIZES, Annotation, ContextRecord, Question
from personamem.loaders.formats.tokens import count_tokens

MIN_FILL = 0.85

END_INDEX = Check(
    Section.STRUCTURE, "end indices", "Questions whose end index lies outside their context."
)
ROLES = Check(
    Section.STRUCTURE,
    "roles",
    "Contexts that do not start with a system message, have an empty message, or a strange role.",
)
CONTEXT_TOTALS = Check(
    Section.STRUCTURE,
    "totals of contexts",
    "Contexts whose stated o200k_base tokens or letters differ from those of their messages.",
)
QUESTION_COUNTS = Check(
    Section.STRUCTURE,
    "counts of questions",
    "Questions whose context length in tokens or letters differs from that of what they see.",
)
BUDGET = Check(
    Section.STRUCTURE,
    "budget",
    f"Contexts that hold more tokens than their split's name, or less than {MIN_FILL:.0%} of it.",
)
DISTANCES = Check(
    Section.TRUTH,
    "distances",
    "Questions whose distance columns are not those of their latest evidence.",
)
FORM_CHECKS = (ROLES, CONTEXT_TOTALS, QUESTION_COUNTS, BUDGET)
"""What only datasets of ours are held to: other releases count, and fill, in other ways."""


@dataclass(frozen=True, slots=True)
class CountedContext:
    """Running totals of one context: ``tokens[i]`` and ``letters[i]`` come before message i.

    ``irrelevant[s]`` are the tokens of unrelated sessions before session s.
    """

    tokens: tuple[int, ...]
    letters: tuple[int, ...]
    irrelevant: tuple[int, ...]


def count_context(context: ContextRecord) -> CountedContext:
    """Count the tokens (o200k_base) and letters of every message."""
    contents = [message["content"] for message in context.messages]
    tokens = (0, *accumulate(count_tokens(content) for content in contents))
    ends = (*context.session_starts[1:], len(contents))
    irrelevant = [
        0 if topic else tokens[end] - tokens[start]
        for topic, start, end in zip(
            context.session_topics, context.session_starts, ends, strict=False
        )
    ]
    return CountedContext(
        tokens=tokens,
        letters=(0, *accumulate(map(len, contents))),
        irrelevant=(0, *accumulate(irrelevant)),
    )


def check_counts(
    split: str,
    context: ContextRecord,
    counted: CountedContext,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation] | None,
) -> Violations:
    """Hold what ``context`` and its ``questions`` state against what was counted."""
    violations = Violations()
    _check_roles(context, violations)
    where = f"context {context.context_id}"
    tokens, letters = counted.tokens[-1], counted.letters[-1]
    if context.num_tokens is not None and (context.num_tokens, context.num_letters) != (
        tokens,
        letters,
    ):
        violations.add(
            CONTEXT_TOTALS,
            f"{where}: says {context.num_tokens} tokens, {context.num_letters} letters; "
            f"counted {tokens}, {letters}",
        )
    budget = SIZES.get(split)
    if budget and not MIN_FILL * budget <= tokens <= budget:
        violations.add(BUDGET, f"{where}: {tokens:,} tokens of {budget:,}")
    for question in questions:
        end = question.end_index_in_shared_context
        name = f"question {question.question_id}"
        if not 0 < end <= len(context.messages):
            violations.add(END_INDEX, f"{name}: {end} of {len(context.messages)} messages")
            continue
        stated = (question.context_length_in_tokens, question.context_length_in_letters)
        found = (counted.tokens[end], counted.letters[end])
        if stated != found:
            violations.add(
                QUESTION_COUNTS,
                f"{name}: says {stated[0]} tokens, {stated[1]} letters; counted "
                f"{found[0]}, {found[1]}",
            )
        annotation = (annotations or {}).get(question.question_id)
        if annotation:
            _check_distances(context, counted, question, annotation, violations)
    return violations


def _check_roles(context: ContextRecord, violations: Violations) -> None:
    for number, message in enumerate(context.messages):
        if message["role"] not in ("system", "user", "assistant") or not message["content"].strip():
            violations.add(
                ROLES,
                f"context {context.context_id}, message {number}: role {message['role']!r}, "
                f"{len(message['content'])} letters",
            )
    if context.messages and context.messages[0]["role"] != "system":
        violations.add(
            ROLES, f"context {context.context_id} starts with a {context.messages[0]['role']!r}"
        )


def _check_distances(
    context: ContextRecord,
    counted: CountedContext,
    question: Question,
    annotation: Annotation,
    violations: Violations,
) -> None:
    end = question.end_index_in_shared_context
    evidence = [index for index in annotation.evidence_message_indices if 0 <= index < end]
    if not evidence:
        return  # The truth checks name it.
    latest, session = max(evidence), context.session_at(end - 1)
    distance = counted.tokens[end] - counted.tokens[latest + 1]
    stated = (
        question.distance_to_ref_in_blocks,
        question.distance_to_ref_in_tokens,
        question.num_irrelevant_tokens,
        question.distance_to_ref_proportion_in_context,
    )
    found = (
        session - context.session_at(latest),
        distance,
        counted.irrelevant[session + 1],
        f"{100 * distance / max(1, counted.tokens[end]):.2f}%",
    )
    if stated != found:
        violations.add(
            DISTANCES, f"question {question.question_id}: says {stated}, the evidence is at {found}"
        )
