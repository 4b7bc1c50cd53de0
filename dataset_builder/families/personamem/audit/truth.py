"""Truth: what the files say against the world they claim to come from.

The world is built anew from the configuration and the seed. Nothing that the builder noted down is
taken on trust: the solver answers each question, and the messages are searched for the facts.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise

from personamem.dataset_builder.core.findings import Check, Section, Violations
from personamem.dataset_builder.families.personamem.audit.annotations import (
    ANNOTATIONS,
    check_annotation,
)
from personamem.dataset_builder.families.personamem.audit.wording import (
    find_wording_fault,
    word_in_cohort,
)
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.contexts import plan_sessions
from personamem.dataset_builder.families.personamem.planning import (
    BEFORE,
    GroupPlan,
    QuadPlan,
    plan_split,
)
from personamem.dataset_builder.families.personamem.questions.quads import Quad
from personamem.dataset_builder.families.personamem.questions.rows import evidence_facts
from personamem.dataset_builder.families.personamem.world.cohort import Cohort, build_cohort
from personamem.dataset_builder.families.personamem.world.facts import Fact
from personamem.dataset_builder.families.personamem.world.solver import UnsolvableError, solve
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    express_reason,
    list_surface_forms,
)
from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import COHORT_SIZE, Annotation, ContextRecord, Question

WORDING = Check(
    Section.TRUTH, "wording", "Questions whose text, options or type are not those of the world."
)
SOLVER = Check(
    Section.TRUTH,
    "solver",
    "Questions in which a solver that reads only the world finds another option than the gold.",
)
EVIDENCE_BEFORE = Check(
    Section.TRUTH,
    "evidence before the question",
    "Questions with evidence or related messages outside of the messages that they see.",
)
EVIDENCE_CARRIES = Check(
    Section.TRUTH,
    "evidence carries the facts",
    "Questions whose evidence misses a fact that proves the gold, in a session of the day and "
    "topic of that fact, or holds messages without one.",
)
ASKED_ON = Check(
    Section.TRUTH,
    "date of the question",
    "Questions not asked at the end of a session, or on another day than that session's.",
)
CAUSALITY = Check(
    Section.TRUTH,
    "causal order",
    "Sessions that are dated before one that they follow.",
)
PAIRS = Check(
    Section.TRUTH,
    "pairs",
    "Pairs asked before and after an update that have the same gold, or differ in wording.",
)
NEW_IDEAS = Check(
    Section.TRUTH,
    "new ideas are new",
    "Questions for a new idea whose gold is named in an earlier message.",
)
TRUTH_CHECKS = (
    WORDING,
    SOLVER,
    ANNOTATIONS,
    EVIDENCE_BEFORE,
    EVIDENCE_CARRIES,
    ASKED_ON,
    CAUSALITY,
    PAIRS,
    NEW_IDEAS,
)


@dataclass(frozen=True, slots=True)
class _World:
    """What one persona's context should say: the plan, the cohort, the facts that are told."""

    config: PersonaMemConfig
    plan: GroupPlan
    cohort: Cohort
    persona_index: int
    told: frozenset[str]
    quads: Mapping[str, QuadPlan]


@dataclass(frozen=True, slots=True)
class _Case:
    """One question with all that it is held against; ``lowered`` are the messages in lower case."""

    world: _World
    quad: Quad
    context: ContextRecord
    lowered: Sequence[str]
    question: Question
    annotation: Annotation

    @property
    def name(self) -> str:
        return f"question {self.question.question_id}"


def check_truth(
    config: PersonaMemConfig,
    split: str,
    context: ContextRecord,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
) -> Violations:
    """Check all ``questions`` of one context against the world of ``config``."""
    violations = Violations()
    world = _rebuild_world(config, split, context.persona_id)
    if world is None:
        for question in questions:
            violations.add(
                WORDING, f"question {question.question_id}: no persona {context.persona_id}"
            )
        return violations
    check_order(context, violations)
    lowered = [message["content"].lower() for message in context.messages]
    for question in questions:
        annotation = annotations.get(question.question_id)
        plan = world.quads.get(annotation.quad_id) if annotation else None
        if annotation is None or plan is None or question.persona_id != context.persona_id:
            violations.add(WORDING, f"question {question.question_id}: not in the world's plan")
            continue
        quad = word_in_cohort(config, plan, world.cohort.number)
        _check_question(_Case(world, quad, context, lowered, question, annotation), violations)
    return violations


def check_pairs(questions: Sequence[Question], annotations: Mapping[str, Annotation]) -> Violations:
    """Check that each pair is whole, of one context and one wording, and differs in its gold."""
    pairs: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        annotation = annotations.get(question.question_id)
        if annotation and annotation.pair_id:
            pairs[annotation.pair_id].append(question)
    violations = Violations()
    for pair_id, pair in pairs.items():
        golds = {question.options[question.answer_index] for question in pair}
        wordings = {(question.user_question_or_message, question.options) for question in pair}
        contexts = {question.shared_context_id for question in pair}
        ends = {question.end_index_in_shared_context for question in pair}
        sizes = [len(found) for found in (pair, golds, contexts, ends, wordings)]
        if sizes != [2, 2, 1, 2, 1]:
            violations.add(
                PAIRS, f"pair {pair_id}: {len(pair)} questions, {len(golds)} gold options"
            )
    return violations


def check_order(context: ContextRecord, violations: Violations) -> None:
    """Check that the dates of sessions do not go back."""
    for number, (before, after) in enumerate(pairwise(context.session_dates), start=1):
        if after < before:
            violations.add(
                CAUSALITY,
                f"context {context.context_id}, session {number} of {after} follows {before}",
            )


def _check_question(case: _Case, violations: Violations) -> None:
    question, annotation, quad, name = case.question, case.annotation, case.quad, case.name
    fault = find_wording_fault(case.world.config, case.world.plan, quad, question)
    if fault:
        violations.add(WORDING, f"{name}: {fault}")
        return
    world = case.world
    thread = world.cohort.threads[quad.plan.thread_id]
    check_annotation(
        world.config, quad, thread, world.persona_index, question, annotation, violations
    )
    try:
        asked_on = date.fromisoformat(annotation.asked_on)
    except ValueError:
        violations.add(ASKED_ON, f"{name}: {annotation.asked_on!r} is not a date")
        return
    end = question.end_index_in_shared_context
    session = case.context.session_ending_at(end)
    if session is None or case.context.session_dates[session] != annotation.asked_on:
        violations.add(ASKED_ON, f"{name}: asked on {asked_on} at message {end}")
    solved = _solve(case.world, quad, asked_on)
    if solved != question.answer_index:
        violations.add(
            SOLVER,
            f"{name}: the gold is {question.correct_answer}, the world says {_letter(solved)}",
        )
        return
    listed = {*annotation.evidence_message_indices, *annotation.related_message_indices}
    late = sorted(index for index in listed if not 0 <= index < end)
    if late or not annotation.evidence_message_indices:
        violations.add(EVIDENCE_BEFORE, f"{name}: messages {late} of {end}")
    _check_evidence(case, violations)
    if quad.plan.question_type == schema.NEW_IDEAS:
        key = quad.keys[question.answer_index].lower()
        named = next((i for i, text in enumerate(case.lowered[:end]) if key in text), None)
        if named is not None:
            violations.add(NEW_IDEAS, f"{name}: message {named} names {key!r}")


def _check_evidence(case: _Case, violations: Violations) -> None:
    """Check that every fact of the gold stands in a message of its day and topic, and back."""
    plan, annotation, name = case.quad.plan, case.annotation, case.name
    known = [
        fact
        for fact in case.world.cohort.facts[case.world.persona_index][plan.thread_id]
        if fact.fact_id in case.world.told and (plan.position != BEFORE or fact.stage == 0)
    ]
    gold_key = case.quad.keys[case.question.answer_index]
    proof = evidence_facts(plan.question_type, known, gold_key)
    for facts, indices in (
        (proof, annotation.evidence_message_indices),
        (known, annotation.related_message_indices),
    ):
        carrying: set[int] = set()
        for fact in facts:
            found = [index for index in indices if _tells(case, index, fact)]
            carrying.update(found)
            if not found:
                violations.add(
                    EVIDENCE_CARRIES,
                    f"{name}: no message of {fact.said_on} on {fact.topic} tells {fact.fact_id}",
                )
        idle = sorted(set(indices) - carrying)
        if idle:
            violations.add(EVIDENCE_CARRIES, f"{name}: messages {idle} tell none of its facts")


def _tells(case: _Case, index: int, fact: Fact) -> bool:
    """Return whether message ``index`` holds ``fact``, in a session of its day and topic."""
    if not 0 <= index < len(case.lowered):
        return False
    session = case.context.session_at(index)
    return (
        case.context.session_dates[session] == fact.said_on.isoformat()
        and case.context.session_topics[session] == fact.topic
        and all(
            any(text in case.lowered[index] for text in either) for either in _searched_texts(fact)
        )
    )


@lru_cache(maxsize=4096)
def _searched_texts(fact: Fact) -> tuple[tuple[str, ...], ...]:
    """Return lower-case alternatives: a message carries the fact if it holds one of each."""
    needed = [list_surface_forms(fact)]
    if fact.reason:
        needed.append(express_reason(fact))
    return tuple(tuple(text.lower() for text in texts) for texts in needed)


def _solve(world: _World, quad: Quad, asked_on: date) -> int | None:
    facts = _all_facts(world.cohort, world.persona_index)
    try:
        return solve(quad.plan.question_type, quad.keys, facts, quad.plan.thread_id, asked_on)
    except UnsolvableError:
        return None


def _letter(index: int | None) -> str:
    return "none or several" if index is None else f"({schema.LETTERS[index]})"


def _all_facts(cohort: Cohort, persona_index: int) -> Iterator[Fact]:
    return (fact for facts in cohort.facts[persona_index].values() for fact in facts)


@lru_cache(maxsize=8)
def _rebuild_world(config: PersonaMemConfig, split: str, persona_id: int) -> _World | None:
    number, persona_index = divmod(persona_id, COHORT_SIZE)
    # Each cohort has one group at most: a persona has one context a split.
    plan = next((plan for plan in plan_split(config, split) if plan.cohort == number), None)
    if plan is None:
        return None
    cohort = build_cohort(config.seed, number)
    sessions = plan_sessions(config, plan, cohort, persona_index)
    told = frozenset(fact.fact_id for session in sessions for fact in session.facts)
    quads = {quad.quad_id: quad for quad in plan.quads}
    return _World(config, plan, cohort, persona_index, told, quads)
