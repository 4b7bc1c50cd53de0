"""The outline of a session: its messages one by one, with what each has to say.

Order and number of messages, and how often a candidate is named, are those of the embedded writer:
whoever counts names or places learns no more from a model's text than from a template's.
"""

from dataclasses import dataclass

from personamem.dataset_builder.families.personamem.sessions import SessionPlan
from personamem.dataset_builder.families.personamem.world.facts import Fact, Relation
from personamem.dataset_builder.families.personamem.writers.surface_forms import (
    EVENT_RELATIONS,
    REASON_RELATIONS,
    TRAIT_RELATIONS,
)

PHRASE_RELATIONS = EVENT_RELATIONS | TRAIT_RELATIONS | REASON_RELATIONS
"""Relations whose value is a clause; the others name an item."""

REPEATED_RELATIONS = frozenset(
    {
        Relation.LIKES,
        Relation.UNMOVED,
        Relation.CONTACT_LIKES,
        Relation.DROPS,
        Relation.TAKES_UP,
        Relation.CONTACT_STILL_LIKES,
        Relation.STILL_DECLINES,
    }
)
"""Relations whose item the assistant names once more, so that all roles are named as often."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message to write about ``fact``.

    ``task`` is "say" (the user tells the fact), "ask", "suggest" and "decline" (a declined
    suggestion, over three messages) or "reply"; ``carries`` whether the fact is read from it.
    """

    role: str
    task: str
    fact: Fact
    carries: bool
    names_value: bool


def outline(plan: SessionPlan) -> tuple[Turn, ...]:
    """Return the messages of a session after its system message."""
    turns: list[Turn] = []
    for fact in plan.facts:
        if fact.relation is Relation.DECLINES:
            turns.append(Turn("user", "ask", fact, carries=False, names_value=False))
            turns.append(Turn("assistant", "suggest", fact, carries=True, names_value=True))
            turns.append(Turn("user", "decline", fact, carries=True, names_value=True))
        else:
            turns.append(Turn("user", "say", fact, carries=True, names_value=True))
        repeats = fact.relation in REPEATED_RELATIONS
        turns.append(Turn("assistant", "reply", fact, carries=False, names_value=repeats))
    return tuple(turns)
