"""The counts of a split that the manifest states: made by a build, made again by an audit."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from personamem.dataset_builder.families.personamem.record import TENTHS
from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import Annotation, Message, Question

PERSONAS, TOPICS, UNRELATED = "personas", "sessions on topics", "unrelated sessions"
PARTS = (TOPICS, UNRELATED, PERSONAS)
"""Kinds of text: sessions on a topic of questions, others, and the system messages of both."""


def divide_tokens(
    messages: Sequence[Message],
    session_starts: Sequence[int],
    session_topics: Sequence[str],
    totals: Sequence[int],
) -> dict[str, int]:
    """Return the tokens of a context by kind of text; ``totals[i]`` come before message i."""
    parts = dict.fromkeys(PARTS, 0)
    ends = (*session_starts[1:], len(messages))
    for topic, start, end in zip(session_topics, session_starts, ends, strict=False):
        for number in range(start, end):
            is_system = messages[number]["role"] == "system"
            kind = PERSONAS if is_system else TOPICS if topic else UNRELATED
            parts[kind] += totals[number + 1] - totals[number]
    return parts


def summarise_split(
    size: str,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
    context_parts: Sequence[Mapping[str, int]],
) -> dict[str, Any]:
    """Return the counts of one split.

    ``context_parts`` are the o200k_base tokens of each context by kind of text.
    """
    context_tokens = [sum(parts.values()) for parts in context_parts]
    return {
        "budget_tokens": schema.SIZES[size],
        "contexts": len(context_tokens),
        "questions": len(questions),
        "quads": len(questions) // schema.COHORT_SIZE,
        "personas": len({question.persona_id for question in questions}),
        "tokens": sum(context_tokens),
        "min_context_tokens": min(context_tokens, default=0),
        "max_context_tokens": max(context_tokens, default=0),
        "question_types": _count(question.question_type for question in questions),
        "topics": _count(question.topic for question in questions),
        "letters": _count(question.correct_answer[1] for question in questions),
        "levels": _count_levels(questions, annotations),
        "distances": _count_distances(questions),
        "context_parts": {
            kind: sum(parts.get(kind, 0) for parts in context_parts) for kind in PARTS
        },
    }


def summarise_checks(questions: Sequence[Question]) -> dict[str, Any]:
    """Return the figures of the checks of one split in which nothing failed."""
    ratios = [
        max(map(len, question.options)) / max(1, min(map(len, question.options)))
        for question in questions
    ]
    return {
        "solver_agrees": len(questions),
        "max_option_length_ratio": round(max(ratios, default=0.0), 4),
    }


def _count_levels(
    questions: Sequence[Question], annotations: Mapping[str, Annotation]
) -> dict[str, dict[str, int]]:
    levels: dict[str, list[str]] = {}
    for question in questions:
        annotation = annotations.get(question.question_id)
        levels.setdefault(question.question_type, []).append(annotation.level if annotation else "")
    return {name: _count(levels[name]) for name in sorted(levels)}


def _count_distances(questions: Sequence[Question]) -> list[int]:
    """Return how many questions have each tenth of what they see after their evidence."""
    counts = [0] * TENTHS
    for question in questions:
        distance, seen = question.distance_to_ref_in_tokens, question.context_length_in_tokens
        if distance is not None and seen:
            counts[max(0, min(TENTHS - 1, TENTHS * distance // seen))] += 1
    return counts


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
