"""The counts of a split that the manifest states: made by a build, made again by an audit."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import Question


def summarise_split(
    size: str, questions: Sequence[Question], context_tokens: Sequence[int]
) -> dict[str, Any]:
    """Return the counts of one split; ``context_tokens`` are o200k_base tokens per context."""
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


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
