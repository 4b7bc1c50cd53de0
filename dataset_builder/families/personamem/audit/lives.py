"""Truth of lives: what the files say against the life that they claim to come from.

The plan and the mentions are drawn anew from the configuration and the seed, and each mention is
rendered anew from the bank: the messages have to hold its text, on its day.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import accumulate

from personamem.dataset_builder.core.findings import Violations
from personamem.dataset_builder.families.personamem.audit.truth import (
    ANNOTATIONS,
    ASKED_ON,
    EVIDENCE_BEFORE,
    EVIDENCE_CARRIES,
    NEW_IDEAS,
    SOLVER,
    WORDING,
    check_order,
)
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.bank import NeedId, get_need
from personamem.dataset_builder.families.personamem.lives.columns import name_question
from personamem.dataset_builder.families.personamem.lives.life import Life, make_life
from personamem.dataset_builder.families.personamem.lives.mentions import Mention
from personamem.dataset_builder.families.personamem.lives.plan import (
    GroupPlan,
    QuadPlan,
    plan_split,
)
from personamem.dataset_builder.families.personamem.lives.rendering import render_mention
from personamem.dataset_builder.families.personamem.lives.rows import (
    describe_quad,
    list_evidence,
    list_known,
)
from personamem.dataset_builder.families.personamem.lives.solver import UnsolvableError, solve
from personamem.dataset_builder.families.personamem.lives.wording import (
    Quad,
    find_contact,
    list_roles,
    word_quad,
)
from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import COHORT_SIZE, Annotation, ContextRecord, Question

_SLOTS = re.compile(r"\{[^}]*\}|\[[^\]]*\]|\n")

_TELLING = 30
"""Letters of a piece of text that no other text has by chance."""


class _Haystack:
    """What the user of a context says, in lower case, joined once for all its questions."""

    def __init__(self, context: ContextRecord) -> None:
        texts = [
            f"{message['content'].lower()}\n" if message["role"] == "user" else ""
            for message in context.messages
        ]
        self._joined = "".join(texts)
        self._starts = [0, *accumulate(map(len, texts))]

    def holds(self, fragment: str, end: int) -> bool:
        """Return whether the user's messages among the first ``end`` hold a text."""
        return self._joined.find(fragment, 0, self._starts[end]) >= 0


class _Said:
    """What the user says in the sessions of mentions, rendered once for all questions."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._texts: dict[str, frozenset[str]] = {}

    def list_texts(self, mention: Mention) -> frozenset[str]:
        """Return the user's messages of a mention."""
        if mention.mention_id not in self._texts:
            messages = render_mention(self._life.config.seed, mention, self._life.speaker)
            self._texts[mention.mention_id] = frozenset(
                message["content"] for message in messages if message["role"] == "user"
            )
        return self._texts[mention.mention_id]


@dataclass(frozen=True, slots=True)
class _Case:
    """One question with all that it is held against."""

    life: Life
    quad: Quad
    context: ContextRecord
    haystack: _Haystack
    said: _Said
    question: Question
    annotation: Annotation

    @property
    def name(self) -> str:
        return f"question {self.question.question_id}"


def check_lives(
    config: PersonaMemConfig,
    split: str,
    context: ContextRecord,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
) -> Violations:
    """Check all ``questions`` of one context against the life of its persona."""
    violations = Violations()
    group, persona_index = divmod(context.persona_id, COHORT_SIZE)
    if group >= len(plan_split(config, split)):
        for question in questions:
            violations.add(
                WORDING, f"question {question.question_id}: no persona {context.persona_id}"
            )
        return violations
    life = make_life(config, split, group, persona_index)
    quads = {quad.quad_id: quad for quad in life.plan.quads}
    check_order(context, violations)
    haystack, said = _Haystack(context), _Said(life)
    for question in questions:
        annotation = annotations.get(question.question_id)
        plan = quads.get(annotation.quad_id) if annotation else None
        if annotation is None or plan is None or question.persona_id != context.persona_id:
            violations.add(WORDING, f"question {question.question_id}: not in the world's plan")
            continue
        quad = _word(config, life.plan.size, group, plan)
        case = _Case(life, quad, context, haystack, said, question, annotation)
        _check_question(case, violations)
    return violations


@lru_cache(maxsize=1024)
def _word(config: PersonaMemConfig, size: str, group: int, plan: QuadPlan) -> Quad:
    # The four personas of a group share a quad, and their contexts come one after the other.
    found: GroupPlan = plan_split(config, size)[group]
    return word_quad(config, found, plan)


def _check_question(case: _Case, violations: Violations) -> None:
    question, annotation, quad, life = case.question, case.annotation, case.quad, case.life
    for what, found, expected in (
        ("type", question.question_type, quad.plan.question_type),
        ("text", question.user_question_or_message, quad.question),
        ("options", question.options, quad.options),
    ):
        if found != expected:
            violations.add(WORDING, f"{case.name}: its {what} is {found!r}, not {expected!r}")
            return
    stories = [life.plan.stories[story_id] for story_id in quad.plan.stories]
    roles = list_roles(quad.plan, stories, quad, life.persona_index)
    _check_annotation(case, roles, violations)
    try:
        asked_on = date.fromisoformat(annotation.asked_on)
    except ValueError:
        violations.add(ASKED_ON, f"{case.name}: {annotation.asked_on!r} is not a date")
        return
    end = question.end_index_in_shared_context
    session = case.context.session_ending_at(end)
    if session is None or case.context.session_dates[session] != annotation.asked_on:
        violations.add(ASKED_ON, f"{case.name}: asked on {asked_on} at message {end}")
    told = [mention for story in stories for mention in life.mentions[story.story_id]]
    contact = find_contact(quad.plan, stories[0])
    try:
        solved = solve(quad.plan.question_type, quad.keys, told, asked_on, contact)
    except UnsolvableError as error:
        violations.add(SOLVER, f"{case.name}: {error}")
        return
    if solved != question.answer_index:
        violations.add(
            SOLVER,
            f"{case.name}: the gold is {question.correct_answer}, "
            f"the world says ({schema.LETTERS[solved]})",
        )
        return
    listed = {*annotation.evidence_message_indices, *annotation.related_message_indices}
    late = sorted(index for index in listed if not 0 <= index < end)
    if late or not annotation.evidence_message_indices:
        violations.add(EVIDENCE_BEFORE, f"{case.name}: messages {late} of {end}")
    if quad.plan.question_type == schema.NEW_IDEAS:
        _check_new(case, quad.keys[solved], violations)
    known = list_known(life, quad.plan)
    proof = list_evidence(quad.plan, known, quad.keys[solved], contact)
    _check_messages(case, proof, annotation.evidence_message_indices, violations)
    _check_messages(case, known, annotation.related_message_indices, violations)


def _check_annotation(case: _Case, roles: Sequence[str], violations: Violations) -> None:
    expected = describe_quad(case.life, case.quad, roles)
    stated = {name: getattr(case.annotation, name) for name in expected}
    expected |= {
        "question_id": name_question(
            case.life.config, case.quad.plan.quad_id, case.life.persona_index
        ),
        "topic": case.quad.plan.topic,
    }
    stated |= {"question_id": case.question.question_id, "topic": case.question.topic}
    for name, value in expected.items():
        found = list(stated[name]) if isinstance(value, list) else stated[name]
        if found != value:
            violations.add(ANNOTATIONS, f"{case.name}: {name} is {found!r}, expected {value!r}")


def _check_new(case: _Case, key: str, violations: Violations) -> None:
    """Check that no message before the question holds a text of the bank on the new idea."""
    end = case.question.end_index_in_shared_context
    for fragment in list_fragments(case.quad.plan.need_id, key):
        if case.haystack.holds(fragment, end):
            violations.add(NEW_IDEAS, f"{case.name}: a message says {fragment!r}")
            return


@lru_cache(maxsize=256)
def list_fragments(need_id: NeedId, key: str) -> tuple[str, ...]:
    """Return the longest piece without a slot of each text that a user brings on a choice.

    Of what is pasted, if anything is: "make this friendlier please" stands before many texts. What
    a text on another choice of the need says as well tells nothing.
    """
    need = get_need(need_id)
    texts = [exchange.text or exchange.ask for exchange in need.find_choice(key).list_exchanges()]
    others = "\n".join(
        exchange.say().lower()
        for choice in need.choices
        if choice.key != key
        for exchange in choice.list_exchanges()
    )
    pieces = (max(_SLOTS.split(text), key=len).strip().lower() for text in texts)
    return tuple(piece for piece in pieces if len(piece) >= _TELLING and piece not in others)


def _check_messages(
    case: _Case, mentions: Sequence[Mention], indices: Sequence[int], violations: Violations
) -> None:
    """Check that the messages listed are those of ``mentions``, word for word, on their days."""
    carrying: set[int] = set()
    for mention in mentions:
        texts = case.said.list_texts(mention)
        found = {
            index
            for index in indices
            if 0 <= index < len(case.context.messages)
            and case.context.messages[index]["content"] in texts
            and case.context.session_dates[case.context.session_at(index)]
            == mention.day.isoformat()
        }
        if len(found) < len(texts):
            violations.add(
                EVIDENCE_CARRIES,
                f"{case.name}: no message of {mention.day} tells {mention.mention_id}",
            )
        carrying |= found
    idle = sorted(set(indices) - carrying)
    if idle:
        violations.add(EVIDENCE_CARRIES, f"{case.name}: messages {idle} tell none of its facts")
