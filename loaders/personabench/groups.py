"""The groups of questions over which scores are averaged."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from personamem.loaders.personabench.records import CATEGORIES, Question

GROUPS = (
    *CATEGORIES,
    "preference",
    "social_relation",
    "social_two_hop",
    "easy",
    "hard",
    "overall",
    "overall_with_subjective",
)
"""Names of the groups, in the order of tables.

The five categories; preferences of both difficulties; Social questions on relations (the easy ones)
and over two hops (the hard ones); all that are easy, all that are hard, and ``overall``, all three
without Subjective as in the official code; ``overall_with_subjective``, the paper's Overall.
"""

Item = TypeVar("Item")


def groups_of(question: Question) -> tuple[str, ...]:
    """Return the names of the groups that a question is in."""
    if question.question_type == "Subjective":
        return ("subjective", "overall_with_subjective")
    names = [question.category, question.difficulty, "overall", "overall_with_subjective"]
    if question.question_type == "Preference":
        names.append("preference")
    elif question.question_type == "Social":
        hop = "relation" if question.difficulty == "easy" else "two_hop"
        names.append(f"social_{hop}")
    return tuple(names)


def group_questions(
    items: Iterable[Item], question_of: Callable[[Item], Question]
) -> dict[str, list[Item]]:
    """Return the members of every group that has any, in the order of ``GROUPS``."""
    members: dict[str, list[Item]] = {name: [] for name in GROUPS}
    for item in items:
        for name in groups_of(question_of(item)):
            members[name].append(item)
    return {name: found for name, found in members.items() if found}
