"""Wording: whether a question reads as its world has it, whoever wrote its options."""

from collections.abc import Mapping
from functools import lru_cache

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.planning import GroupPlan, QuadPlan, plan_split
from personamem.dataset_builder.families.personamem.questions.briefs import brief_options
from personamem.dataset_builder.families.personamem.questions.quads import Quad, word_quad
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.dataset_builder.families.personamem.writers.model.option_checks import check_options
from personamem.dataset_builder.families.personamem.writers.model.options import OptionsBrief
from personamem.dataset_builder.llm.writing.prose import RejectedTextError
from personamem.loaders.formats.schema import Question


@lru_cache(maxsize=1024)
def word_in_cohort(config: PersonaMemConfig, plan: QuadPlan, cohort: int) -> Quad:
    """Return a quad as the embedded writer words it."""
    # The four personas of a cohort share it, and their contexts come one after the other.
    return word_quad(config, plan, build_cohort(config.seed, cohort).threads[plan.thread_id])


def find_wording_fault(
    config: PersonaMemConfig, plan: GroupPlan, quad: Quad, question: Question
) -> str | None:
    """Return how ``question`` differs from its quad in the embedded writer's words, if it may not.

    Options that a model wrote may differ, but have to keep to the same brief as when it wrote them.
    """
    if question.question_type != quad.plan.question_type:
        return f"of type {question.question_type}"
    if question.user_question_or_message != quad.question:
        return "another text"
    if question.options == quad.options:
        return None
    if not config.is_written_by_model:
        return "other options"
    try:
        briefs = _brief_options(config, plan.size, plan.group)
        check_options(briefs[quad.plan.quad_id], question.options)
    except RejectedTextError as error:
        return error.reason
    return None


@lru_cache(maxsize=8)
def _brief_options(config: PersonaMemConfig, split: str, group: int) -> Mapping[str, OptionsBrief]:
    plan = plan_split(config, split)[group]
    return brief_options(config, plan, build_cohort(config.seed, plan.cohort))
