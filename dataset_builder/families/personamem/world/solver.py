"""The world-only solver: answers a question from a persona's facts, never from text or roles.

It replays what is true up to the day of the question, so it is an independent proof that a question
has exactly one right option. It knows nothing of rotations, quads or letters.
"""

from collections.abc import Iterable, Sequence
from datetime import date

from personamem.dataset_builder.families.personamem.world.facts import Fact, Relation
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import PersonamemError

_STATES = {
    Relation.STARTS_LIKING: "+",
    Relation.STAYS_LIKING: "+",
    Relation.TURNS_TOWARDS: "+",
    Relation.STARTS_DISLIKING: "-",
    Relation.STAYS_DISLIKING: "-",
    Relation.TURNS_AWAY: "-",
}


class UnsolvableError(PersonamemError):
    """The world does not single out one option: a defect of the builder."""


def solve(
    question_type: str,
    options: Sequence[str],
    facts: Iterable[Fact],
    thread_id: str,
    asked_on: date,
) -> int:
    """Return the index of the only option that is right on the day ``asked_on``.

    ``options`` are values: item names, event or trait keys, reasons, or histories such as "+-+".
    ``facts`` are all of one persona's facts; ``thread_id`` says what the question refers to.
    Raises UnsolvableError when no option or more than one is right.
    """
    known = [fact for fact in facts if fact.said_on <= asked_on]
    story = [fact for fact in known if fact.thread_id == thread_id]
    right = _right_values(question_type, options, known, story)
    found = [index for index, option in enumerate(options) if option in right]
    if len(found) != 1:
        raise UnsolvableError(
            f"{question_type} about {thread_id} on {asked_on}: {len(found)} of the options "
            f"{list(options)} are right in the world, expected exactly one."
        )
    return found[0]


def _right_values(
    question_type: str, options: Sequence[str], known: Sequence[Fact], story: Sequence[Fact]
) -> set[str]:
    if question_type in (schema.ACKNOWLEDGE, schema.RECOMMEND):
        return _current_preferences(story)
    if question_type == schema.REASONS:
        return {fact.reason for fact in story if fact.relation is Relation.DROPS}
    if question_type == schema.EVOLUTION:
        stages = sorted(story, key=lambda fact: fact.stage)
        return {"".join(_STATES[fact.relation] for fact in stages)}
    if question_type == schema.RECALL:
        return {fact.value for fact in story if fact.relation is Relation.DID}
    if question_type == schema.GENERALIZE:
        return {fact.value for fact in story if fact.relation is Relation.SHOWS}
    mentioned = {fact.value for fact in known}
    return set(options) - mentioned


def _current_preferences(story: Sequence[Fact]) -> set[str]:
    liked: set[str] = set()
    for fact in sorted(story, key=lambda fact: fact.stage):
        if fact.relation in (Relation.LIKES, Relation.TAKES_UP):
            liked.add(fact.value)
        elif fact.relation is Relation.DROPS:
            liked.discard(fact.value)
    return liked
