"""Rows: a quad in one persona's context, as the columns of the dataset."""

from collections.abc import Iterable, Sequence
from typing import Any

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.columns import (
    ContextIndex,
    QuestionError,
    Row,
    name_question,
    state_row,
)
from personamem.dataset_builder.families.personamem.lives.life import Life
from personamem.dataset_builder.families.personamem.lives.mentions import Mention, Stance
from personamem.dataset_builder.families.personamem.lives.plan import QuadPlan
from personamem.dataset_builder.families.personamem.lives.solver import solve
from personamem.dataset_builder.families.personamem.lives.wording import (
    GOLD_ROLES,
    Quad,
    find_contact,
    list_roles,
)
from personamem.loaders.formats import schema


def make_row(life: Life, quad: Quad, index: ContextIndex, context_id: str) -> Row:
    """Return the row of ``quad`` for the persona, asked at the end of a session.

    Raises QuestionError when no session end lies after all that the question needs (and, asked
    before an update, before that update), or when the solver does not find the gold.
    """
    plan, context = quad.plan, index.context
    known = list_known(life, plan)
    session = _draw_session(life, plan, index, known)
    asked_on = context.session_dates[session]
    stories = [life.plan.stories[story_id] for story_id in plan.stories]
    roles = list_roles(plan, stories, quad, life.persona_index)
    gold = roles.index(GOLD_ROLES.get(plan.question_type, "current"))
    contact = find_contact(plan, stories[0])
    told = [mention for story_id in plan.stories for mention in life.mentions[story_id]]
    solved = solve(plan.question_type, quad.keys, told, asked_on, contact)
    if solved != gold:
        raise QuestionError(f"{plan.quad_id}: solver says option {solved}, roles say {gold}.")
    proof = list_evidence(plan, known, quad.keys[gold], contact)
    evidence, related = _find_messages(proof, index), _find_messages(known, index)
    return state_row(
        index,
        context_id,
        quad,
        question_id=name_question(life.config, plan.quad_id, life.persona_index),
        gold=gold,
        session=session,
        evidence=evidence,
        related=related,
        described=describe_quad(life, quad, roles),
    )


def describe_quad(life: Life, quad: Quad, roles: Sequence[str]) -> dict[str, Any]:
    """Return the annotation columns that follow from a quad and the persona's ``roles`` in it."""
    plan = quad.plan
    story = life.plan.stories[plan.stories[0]]
    pair_id = f"{plan.stories[0]}-{plan.question_type}-p{life.persona_index}" if plan.paired else ""
    return {
        "quad_id": plan.quad_id,
        "pair_id": pair_id,
        "pair_position": plan.position if plan.paired else "",
        "thread_id": plan.stories[0],
        "level": str(story.level),
        "updates": plan.stage,
        "option_roles": tuple(roles),
        "option_keys": tuple(quad.keys),
    }


def list_known(life: Life, plan: QuadPlan) -> list[Mention]:
    """Return the mentions of a question's stories that come before it."""
    return [
        mention
        for story_id in plan.stories
        for mention in life.mentions[story_id]
        if mention.stage <= plan.stage
    ]


def list_evidence(
    plan: QuadPlan, known: Sequence[Mention], gold: str, contact: str
) -> list[Mention]:
    """Return the mentions that prove the gold; or what rules out others."""
    kind = plan.question_type
    if kind in (schema.NEVER_TOLD, schema.NEW_IDEAS):
        return list(known)
    if kind == schema.SENSITIVE:
        private = {m.need_id for m in known if m.private is not None}
        return [m for m in known if m.need_id in private]
    if kind == schema.OTHERS:
        return [m for m in known if m.contact and m.contact.name == contact]
    if kind == schema.REASONS:
        return [m for m in known if m.stance is Stance.ENDED and m.choice == gold][-1:]
    own = [m for m in known if m.stance in (Stance.OWN, Stance.POINTED)]
    if kind == schema.EVOLUTION:
        own += [m for m in known if m.stance is Stance.ENDED]
    elif kind == schema.FORGET:
        own = [m for m in own if m.choice == gold]
        own += [m for m in known if m.stance is Stance.FORGET]
    elif kind != schema.GENERALIZE:
        own = [m for m in own if m.choice == gold]
        own = [m for m in own if m.stage == max(other.stage for other in own)]
    return own + _find_solutions(own, known)


def _find_solutions(own: Iterable[Mention], known: Iterable[Mention]) -> list[Mention]:
    """Return the mentions that tell what the people do whom pointers name."""
    pointed = {(m.contact.name, m.choice) for m in own if m.stance is Stance.POINTED and m.contact}
    return [
        m
        for m in known
        if m.stance is Stance.OTHERS and m.contact and (m.contact.name, m.choice) in pointed
    ]


def _find_messages(mentions: Sequence[Mention], index: ContextIndex) -> list[int]:
    found = index.context.fact_messages
    return sorted({number for mention in mentions for number in found[mention.mention_id]})


def _draw_session(life: Life, plan: QuadPlan, index: ContextIndex, known: Sequence[Mention]) -> int:
    """Draw the session after which the question is asked."""
    context = index.context
    first = max(context.session_of[mention.mention_id] for mention in known)
    last = len(index.ends)
    later = [
        mention.day
        for story_id in plan.stories
        for mention in life.mentions[story_id]
        if mention.stage > plan.stage
    ]
    if later:
        while context.session_dates[last - 1] >= min(later):
            last -= 1
    if first >= last:
        raise QuestionError(f"{plan.quad_id}: no session end lies between its facts.")
    third = (last - first) // 3
    if life.config.distance == "near":
        last -= 2 * third
    elif life.config.distance == "far":
        first += 2 * third
    random = make_rng(life.config.seed, "ask", plan.quad_id, life.persona_index)
    return random.randrange(first, last)
