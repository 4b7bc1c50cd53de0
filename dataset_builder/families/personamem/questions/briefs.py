"""Briefs of options: what a model is to word anew, from the quads as they are worded here."""

from collections.abc import Iterable, Mapping

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.planning import GroupPlan
from personamem.dataset_builder.families.personamem.questions.quads import (
    Quad,
    name_wording,
    word_quad,
    wordings,
)
from personamem.dataset_builder.families.personamem.world.cohort import Cohort
from personamem.dataset_builder.families.personamem.world.threads import Thread
from personamem.dataset_builder.families.personamem.writers.model.forbidden_terms import (
    list_candidates,
)
from personamem.dataset_builder.families.personamem.writers.model.options import (
    OptionBrief,
    OptionsBrief,
)
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    SECOND_PERSON,
    render_all,
)
from personamem.loaders.formats import schema


def brief_options(
    config: PersonaMemConfig, plan: GroupPlan, cohort: Cohort
) -> dict[str, OptionsBrief]:
    """Return the brief of each quad of a group by its id; both quads of a pair have the same."""
    barred = list_candidates(plan, cohort)
    names = frozenset(_list_names(cohort))
    briefs: dict[str, OptionsBrief] = {}
    found: dict[str, OptionsBrief] = {}
    for quad_plan in plan.quads:
        name = name_wording(quad_plan)
        if name not in briefs:
            thread = cohort.threads[quad_plan.thread_id]
            quad = word_quad(config, quad_plan, thread)
            briefs[name] = OptionsBrief(
                question_type=quad_plan.question_type,
                question=quad.question,
                options=_brief_each(quad, thread),
                subjects=(thread.item.name,) if thread.item else (),
                barred=barred,
                names=names,
            )
        found[quad_plan.quad_id] = briefs[name]
    return found


def _brief_each(quad: Quad, thread: Thread) -> tuple[OptionBrief, ...]:
    pairs = zip(quad.options, quad.keys, strict=True)
    question_type = quad.plan.question_type
    if question_type == schema.GENERALIZE:
        return tuple(OptionBrief(text, trait=key) for text, key in pairs)
    if question_type == schema.EVOLUTION:
        return _brief_histories(quad)
    if question_type in (schema.RECALL, schema.REASONS):
        return tuple(OptionBrief(text, (_render_as_in(text, key),)) for text, key in pairs)
    return tuple(OptionBrief(text, ((key,),)) for text, key in pairs)


def _render_as_in(text: str, source: str) -> tuple[str, ...]:
    """Return all renderings of a phrase, the one in ``text`` first."""
    found = render_all(source, SECOND_PERSON)
    return tuple(sorted(found, key=lambda phrase: (phrase not in text, -len(phrase))))


def _brief_histories(quad: Quad) -> tuple[OptionBrief, ...]:
    """Return briefs in which words of like and dislike tell a history, those of the draft."""
    table: Mapping[str, list[str]] = wordings()[schema.EVOLUTION]["marks"]
    for variant in range(len(table["+"])):
        marks = [
            [table[key][variant] for key in (history[0], history[:2], history[1:])]
            for history in quad.keys
        ]
        drafts = zip(quad.options, marks, strict=True)
        if all(mark in text for text, three in drafts for mark in three):
            return tuple(
                OptionBrief(text, tuple((mark,) for mark in three))
                for text, three in zip(quad.options, marks, strict=True)
            )
    raise KeyError(f"no marks for {quad.options[0]!r}")


def _list_names(cohort: Cohort) -> Iterable[str]:
    for persona in cohort.personas:
        yield from persona.name.split()
        for contact in (*persona.friends, *persona.relatives):
            yield contact.name
