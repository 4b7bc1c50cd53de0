"""How the value of a fact reads in text, for whomever it is about.

Both the writer and the checks use this, so what is written can be found again.
"""

from collections.abc import Mapping

from personamem.dataset_builder.core.content_yaml import template
from personamem.dataset_builder.core.grammar import expand_all, parse
from personamem.dataset_builder.families.personamem.packs import load_topic
from personamem.dataset_builder.families.personamem.world.facts import Fact, Relation

FIRST_PERSON = {"I": "I", "me": "me", "my": "my", "myself": "myself"}
SECOND_PERSON = {"I": "you", "me": "you", "my": "your", "myself": "yourself"}
THIRD_PERSON = {
    "she": {"I": "she", "me": "her", "my": "her", "myself": "herself"},
    "he": {"I": "he", "me": "him", "my": "his", "myself": "himself"},
}

EVENT_RELATIONS = frozenset(
    {Relation.DID, Relation.FRIEND_DID, Relation.RELATIVE_DID, Relation.CONSIDERED}
)
TRAIT_RELATIONS = frozenset(
    {Relation.SHOWS, Relation.FRIEND_SHOWS, Relation.RELATIVE_SHOWS, Relation.REJECTS}
)
REASON_RELATIONS = frozenset(
    {Relation.OTHER_CHANGE_BECAUSE, Relation.CONTACT_STOPPED_BECAUSE, Relation.NOT_BECAUSE}
)


def person_slots(fact: Fact) -> Mapping[str, str]:
    """Return the pronouns for the one whom ``fact`` is about, as the user speaks of them."""
    return THIRD_PERSON[fact.contact.sex] if fact.contact else FIRST_PERSON


def list_surface_forms(fact: Fact) -> tuple[str, ...]:
    """Return all texts that express the value of ``fact`` in its messages."""
    slots = person_slots(fact)
    if fact.relation in TRAIT_RELATIONS:
        sources = load_topic(fact.topic).shown[fact.value]
    else:
        sources = (fact.value,)
    return tuple(text for source in sources for text in render_all(source, slots))


def express_reason(fact: Fact) -> tuple[str, ...]:
    """Return all texts that express the reason which ``fact`` gives, if any."""
    return tuple(render_all(fact.reason, person_slots(fact)) if fact.reason else ())


def render_all(source: str, slots: Mapping[str, str]) -> list[str]:
    """Return all texts of a phrase of a pack; ``slots`` are the pronouns for whom it is about."""
    return [parse(text).render(slots, lambda: 0.0) for text in expand_all(template(source))]
