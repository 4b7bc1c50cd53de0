"""The gate of a build: structure and truth of every question, before anything is packaged."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from personamem.dataset_builder import schema
from personamem.dataset_builder.contexts import Context
from personamem.dataset_builder.errors import PersonamemError
from personamem.dataset_builder.questions.quads import MAX_LENGTH_RATIO
from personamem.dataset_builder.questions.rows import Row

MIN_FILL = 0.85


class GateError(PersonamemError):
    """A dataset that must not be packaged; the message names the check and the rows."""


def check_context(context: Context, rows: Sequence[Row]) -> None:
    """Check what only the text can tell: a new idea is named nowhere before its question."""
    for row in rows:
        benchmark = row.benchmark
        if benchmark["question_type"] != schema.NEW_IDEAS:
            continue
        name = row.annotation["option_keys"][benchmark["answer_index"]].lower()
        for number in range(benchmark["end_index_in_shared_context"]):
            if name in context.messages[number]["content"].lower():
                raise GateError(
                    f"Question {benchmark['question_id']} takes {name!r} for new, but message "
                    f"{number} names it: {context.messages[number]['content'][:200]!r}"
                )


def check_split(
    size: str,
    benchmark: Sequence[Mapping[str, Any]],
    annotations: Sequence[Mapping[str, Any]],
    context_tokens: Sequence[int],
) -> dict[str, Any]:
    """Check quads, letters, option lengths and budgets of a split; return the figures.

    Raises GateError on the first violation.
    """
    quads: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row, annotation in zip(benchmark, annotations, strict=True):
        quads[annotation["quad_id"]].append(row)
    worst = 0.0
    for quad_id, rows in quads.items():
        if len({row["persona_id"] for row in rows}) != 4 or len(rows) != 4:
            raise GateError(f"Quad {quad_id} does not have four personas.")
        if len({row["user_question_or_message"] for row in rows}) != 1:
            raise GateError(f"Quad {quad_id} has more than one question text.")
        if len({row["all_options"] for row in rows}) != 1:
            raise GateError(f"Quad {quad_id} has more than one list of options.")
        if {row["correct_answer"] for row in rows} != {f"({letter})" for letter in schema.LETTERS}:
            raise GateError(f"Quad {quad_id} does not have each letter once.")
        if len(set(rows[0]["options"])) != 4:
            raise GateError(f"Quad {quad_id} has equal options.")
        lengths = [len(option) for option in rows[0]["options"]]
        worst = max(worst, max(lengths) / min(lengths))
        if worst > MAX_LENGTH_RATIO:
            raise GateError(
                f"Quad {quad_id} has options of {min(lengths)} to {max(lengths)} letters."
            )
    budget = schema.SIZES[size]
    for tokens in context_tokens:
        if not MIN_FILL * budget <= tokens <= budget:
            raise GateError(f"A context of {size} has {tokens:,} tokens of {budget:,}.")
    ids = Counter(row["question_id"] for row in benchmark)
    if len(ids) != len(benchmark):
        raise GateError(f"Question id {ids.most_common(1)[0][0]} occurs twice.")
    return {
        "solver_agrees": len(benchmark),
        "max_option_length_ratio": round(worst, 4),
        "min_fill": round(min(context_tokens) / budget, 4),
        "max_fill": round(max(context_tokens) / budget, 4),
    }
