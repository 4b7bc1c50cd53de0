"""Reading and checking what a model wrote: a session that keeps to its brief, or a reason why not.

What is checked literally is what the audit and the questions rest on: values, occasions, people,
numbers of mentions. Whether a message means what its relation says is judged by words (see
``meaning``) and otherwise left to the model.
"""

import re
from collections.abc import Sequence

from personamem.dataset_builder.families.personamem.sessions import (
    Brief,
    SessionError,
    WrittenSession,
    check_session,
)
from personamem.dataset_builder.families.personamem.writers.model.meaning import find_fault
from personamem.dataset_builder.families.personamem.writers.model.outline import (
    PHRASE_RELATIONS,
    Turn,
    outline,
)
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    express_reason,
    list_surface_forms,
)
from personamem.dataset_builder.llm.writing.prose import (
    RejectedTextError,
    ValidationIssue,
    check_prose,
    clean,
)
from personamem.dataset_builder.llm.writing.response_schemas import name_messages, read_fields
from personamem.loaders.formats.schema import Message
from personamem.loaders.formats.tokens import count_tokens

LEAST_SHARE = 0.25
"""The least length of a session, as a share of the embedded writer's."""


def read_session(brief: Brief, text: str) -> WrittenSession:
    """Return the session in a model's answer, behind the embedded writer's system message.

    Raises:
        RejectedTextError: the answer is not a session that keeps to ``brief``.
    """
    turns = outline(brief.plan)
    texts = read_fields(text, name_messages([turn.role for turn in turns]))
    messages: list[Message] = [
        {"role": turn.role, "content": clean(content)}
        for turn, content in zip(turns, texts, strict=True)
    ]
    check_prose("Message", [message["content"] for message in messages])
    _check_repeats(messages)
    for number, (turn, message) in enumerate(zip(turns, messages, strict=True), start=1):
        _check_turn(number, turn, message["content"].lower())
    _check_foreign(brief, messages)
    for number, (turn, message) in enumerate(zip(turns, messages, strict=True), start=1):
        _check_meaning(number, turn, message["content"].lower())
    _check_length(brief, messages)
    return _assemble(brief, turns, messages)


def fold_message(message: Message) -> str:
    """Return what two messages have in common that read the same."""
    return " ".join(message["content"].lower().split())


def _check_repeats(messages: Sequence[Message]) -> None:
    first: dict[str, int] = {}
    for number, message in enumerate(messages, start=1):
        before = first.setdefault(fold_message(message), number)
        if before != number:
            raise RejectedTextError(
                ValidationIssue.REPEATED,
                f"Message {number} said the same as message {before}, word by word.",
            )


def _check_turn(number: int, turn: Turn, lowered: str) -> None:
    fact = turn.fact
    values = [text.lower() for text in list_surface_forms(fact)]
    named = _count_any(values, lowered, fact.relation in PHRASE_RELATIONS)
    quoted = f'"{list_surface_forms(fact)[0]}"' if len(values) == 1 else "what it is about"
    if turn.names_value and not named:
        raise RejectedTextError(
            ValidationIssue.MISSING, f"Message {number} did not hold {quoted} literally."
        )
    if named > turn.names_value:
        wanted = "once only" if turn.names_value else "not at all"
        raise RejectedTextError(
            ValidationIssue.FOREIGN, f"Message {number} should name {quoted} {wanted}."
        )
    if turn.carries:
        _check_carrier(number, turn, lowered)


def _check_carrier(number: int, turn: Turn, lowered: str) -> None:
    fact = turn.fact
    if fact.when and fact.when.lower() not in lowered:
        raise RejectedTextError(
            ValidationIssue.MISSING, f'Message {number} did not hold "{fact.when}" literally.'
        )
    if fact.contact and fact.contact.name.lower() not in lowered:
        raise RejectedTextError(
            ValidationIssue.MISSING,
            f"Message {number} did not say that it is about {fact.contact.name}.",
        )
    reasons = [text.lower() for text in express_reason(fact)]
    if reasons and not any(text in lowered for text in reasons):
        raise RejectedTextError(
            ValidationIssue.MISSING, f"Message {number} did not hold the reason literally."
        )


def _check_meaning(number: int, turn: Turn, lowered: str) -> None:
    if turn.task in ("ask", "suggest") or (turn.role == "assistant" and not turn.names_value):
        return
    fact = turn.fact
    # The longest first: renderings of one phrase may hold each other.
    said = [text for text in list_surface_forms(fact) if text.lower() in lowered]
    passed_over = [text for text in (*express_reason(fact), fact.when) if text]
    value = max(said, key=len, default="")
    fault = find_fault(fact.relation, lowered, value, passed_over, turn.role == "user")
    if fault:
        raise RejectedTextError(
            ValidationIssue.MEANING,
            f"Message {number} did not say its matter plainly enough: {fault}.",
        )


def _count_any(values: Sequence[str], lowered: str, is_phrase: bool) -> int:
    """Return how often a value stands in a text; renderings of one phrase may hold each other."""
    counts = [lowered.count(value) for value in values]
    return max(counts) if is_phrase else sum(counts)


def _check_foreign(brief: Brief, messages: Sequence[Message]) -> None:
    """Check that no candidate, event or person stands where the plan has none."""
    turns = outline(brief.plan)
    planned = {
        text.lower()
        for fact in brief.plan.facts
        for text in (*list_surface_forms(fact), *express_reason(fact), fact.when)
        if text
    }
    contacts = [*brief.plan.persona.friends, *brief.plan.persona.relatives]
    # A foreign name within a planned phrase is no violation, so those are taken out, longest first.
    taken_out = re.compile("|".join(map(re.escape, sorted(planned, key=len, reverse=True))))
    for number, (turn, message) in enumerate(zip(turns, messages, strict=True), start=1):
        lowered = message["content"].lower()
        for other in brief.plan.facts:
            is_other = other.value != turn.fact.value and other.fact_id != turn.fact.fact_id
            if is_other and any(text.lower() in lowered for text in list_surface_forms(other)):
                raise RejectedTextError(
                    ValidationIssue.FOREIGN, f"Message {number} should keep to its own matter."
                )
        rest = taken_out.sub(" ", lowered)
        foreign = min((name for name in brief.candidates if name in rest), default=None)
        if foreign is not None:
            raise RejectedTextError(
                ValidationIssue.FOREIGN,
                f'Message {number} named "{foreign}", which is not in the outline.',
            )
        for contact in contacts:
            is_meant = turn.fact.contact is not None and contact.name == turn.fact.contact.name
            if not is_meant and re.search(rf"\b{re.escape(contact.name)}\b", message["content"]):
                raise RejectedTextError(
                    ValidationIssue.FOREIGN,
                    f"Message {number} spoke of {contact.name}, who has no part in it.",
                )


def _check_length(brief: Brief, messages: Sequence[Message]) -> None:
    tokens = sum(count_tokens(message["content"]) for message in messages)
    if tokens > brief.most_talk_tokens:
        share = brief.most_talk_tokens / tokens
        raise RejectedTextError(
            ValidationIssue.LENGTH,
            f"The messages were too long together; write at most {share:.0%} of that.",
        )
    if tokens < LEAST_SHARE * brief.talk_tokens:
        raise RejectedTextError(
            ValidationIssue.LENGTH, "The messages were much too short together."
        )


def _assemble(brief: Brief, turns: Sequence[Turn], messages: Sequence[Message]) -> WrittenSession:
    fact_messages: dict[str, tuple[int, ...]] = {}
    for index, turn in enumerate(turns, start=1):
        if turn.carries:
            fact_messages[turn.fact.fact_id] = (*fact_messages.get(turn.fact.fact_id, ()), index)
    plan, system = brief.plan, brief.embedded.messages[0]
    written = WrittenSession(plan.topic, plan.said_on, (system, *messages), fact_messages)
    try:
        check_session(plan, written, list_surface_forms)
    except SessionError as error:
        raise RejectedTextError(ValidationIssue.MISSING, str(error)) from error
    return written
