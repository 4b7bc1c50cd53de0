"""Rows: a quad in one persona's context, as the columns of the dataset.

Distances follow the official card: from the question back to the latest message that carries the
answer, in sessions ("blocks") and in o200k_base tokens, and as a share of the context that is seen.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Protocol

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.contexts import Context
from personamem.dataset_builder.families.personamem.planning import AFTER
from personamem.dataset_builder.families.personamem.questions.quads import Quad
from personamem.dataset_builder.families.personamem.world.cohort import Cohort
from personamem.dataset_builder.families.personamem.world.facts import Fact, Relation
from personamem.dataset_builder.families.personamem.world.solver import solve
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


class Planned(Protocol):
    """What the plan of a quad states about its questions."""

    @property
    def question_type(self) -> str:
        """One of the types of the schema."""

    @property
    def topic(self) -> str:
        """One of the topics of the schema."""


class Worded(Protocol):
    """A quad in words: what its four questions have in common."""

    @property
    def plan(self) -> Planned:
        """Where the quad comes from."""

    @property
    def question(self) -> str:
        """What the user asks."""

    @property
    def options(self) -> Sequence[str]:
        """The four texts, in letter order, without letters."""


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


def make_row(
    config: PersonaMemConfig,
    quad: Quad,
    cohort: Cohort,
    persona_index: int,
    index: ContextIndex,
    context_id: str,
) -> Row:
    """Return the row of ``quad`` for the persona, asked at the end of a session.

    Raises QuestionError when no session end lies after all that the question needs (and, asked
    before an update, before that update), or when the solver does not find the gold.
    """
    plan, context = quad.plan, index.context
    thread = cohort.threads[plan.thread_id]
    story = [
        f for f in cohort.facts[persona_index][plan.thread_id] if f.fact_id in context.fact_messages
    ]
    known = [fact for fact in story if plan.position == AFTER or fact.stage == 0]
    session = _draw_session(config, quad, persona_index, index, known, story)
    asked_on = context.session_dates[session]
    roles = quad.roles_of(thread, persona_index)
    gold = _gold_index(plan.question_type, plan.position, roles)
    all_facts = [fact for facts in cohort.facts[persona_index].values() for fact in facts]
    solved = solve(plan.question_type, quad.keys, all_facts, plan.thread_id, asked_on)
    if solved != gold:
        raise QuestionError(f"{plan.quad_id}: solver says option {solved}, roles say {gold}.")
    evidence = _messages_of(evidence_facts(plan.question_type, known, quad.keys[gold]), context)
    related = _messages_of(known, context)
    return state_row(
        index,
        context_id,
        quad,
        question_id=name_question(config, plan.quad_id, persona_index),
        gold=gold,
        session=session,
        evidence=evidence,
        related=related,
        described=describe_quad(quad, roles, persona_index),
    )


def state_row(
    index: ContextIndex,
    context_id: str,
    quad: Worded,
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


def describe_quad(quad: Quad, roles: Sequence[str], persona_index: int) -> dict[str, Any]:
    """Return the annotation columns that follow from a quad and the persona's ``roles`` in it."""
    plan = quad.plan
    return {
        "quad_id": plan.quad_id,
        "pair_id": _pair_id(quad, persona_index) if plan.paired else "",
        "pair_position": plan.position if plan.paired else "",
        "thread_id": plan.thread_id,
        "level": "stated",
        "updates": int(plan.position == AFTER),
        "option_roles": tuple(roles),
        "option_keys": tuple(quad.keys),
    }


def evidence_facts(question_type: str, known: Sequence[Fact], gold_key: str) -> list[Fact]:
    """Return the facts that prove the gold; for a new idea all that rule out the others."""
    if question_type == schema.REASONS:
        return [fact for fact in known if fact.relation is Relation.DROPS]
    if question_type in (schema.EVOLUTION, schema.NEW_IDEAS):
        return list(known)
    gold = [fact for fact in known if fact.value == gold_key]
    # That the user once was unmoved by what they like now proves nothing.
    return [fact for fact in gold if fact.relation is not Relation.UNMOVED]


def _gold_index(question_type: str, position: str, roles: Sequence[str]) -> int:
    gold_role = {
        schema.RECALL: "own",
        schema.EVOLUTION: "history",
        schema.REASONS: "this_change",
        schema.GENERALIZE: "own",
        schema.NEW_IDEAS: "new",
    }.get(question_type, "former" if position != AFTER else "current")
    return list(roles).index(gold_role)


def _messages_of(facts: Sequence[Fact], context: Context) -> list[int]:
    return sorted({index for fact in facts for index in context.fact_messages[fact.fact_id]})


def _draw_session(
    config: PersonaMemConfig,
    quad: Quad,
    persona_index: int,
    index: ContextIndex,
    known: Sequence[Fact],
    story: Sequence[Fact],
) -> int:
    """Draw the session after which the question is asked."""
    context = index.context
    first = max(context.session_of[fact.fact_id] for fact in known)
    last = len(index.ends)
    if quad.plan.position != AFTER:
        update = min(fact.said_on for fact in story if fact.stage > 0)
        while context.session_dates[last - 1] >= update:
            last -= 1
    if first >= last:
        raise QuestionError(f"{quad.plan.quad_id}: no session end lies between its facts.")
    random = make_rng(config.seed, "ask", quad.plan.quad_id, persona_index)
    return random.randrange(first, last)


def name_question(config: PersonaMemConfig, quad_id: str, persona_index: int) -> str:
    """Return an id in the form of a uuid; a hash, so that the order of ids tells nothing."""
    digest = hashlib.sha256(f"{config.seed} {quad_id} {persona_index}".encode()).hexdigest()
    return "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))


def _pair_id(quad: Quad, persona_index: int) -> str:
    size = quad.plan.quad_id.split("-", 1)[0]
    return f"{size}-{quad.plan.thread_id}-{quad.plan.question_type}-{persona_index}"
