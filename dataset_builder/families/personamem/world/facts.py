"""Facts: what is true of one persona, when, and how it came to be said.

A thread and a persona give a list of facts, each with the date of the session in which the user (or
the assistant) says it. Everything that a conversation reveals is a fact; everything that a question
asks is answered from facts alone.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from random import Random

from personamem.dataset_builder.core.people import Contact, Persona
from personamem.dataset_builder.families.personamem.world.threads import Kind, Thread


class Relation(StrEnum):
    """How a subject stands to a value. The text of each relation is in content/patterns.yaml."""

    LIKES = "likes"
    UNMOVED = "unmoved"
    CONTACT_LIKES = "contact_likes"
    DECLINES = "declines"
    DROPS = "drops"
    TAKES_UP = "takes_up"
    CONTACT_STILL_LIKES = "contact_still_likes"
    STILL_DECLINES = "still_declines"
    OTHER_CHANGE_BECAUSE = "other_change_because"
    CONTACT_STOPPED_BECAUSE = "contact_stopped_because"
    NOT_BECAUSE = "not_because"
    STARTS_LIKING = "starts_liking"
    STARTS_DISLIKING = "starts_disliking"
    STAYS_LIKING = "stays_liking"
    STAYS_DISLIKING = "stays_disliking"
    TURNS_AWAY = "turns_away"
    TURNS_TOWARDS = "turns_towards"
    DID = "did"
    FRIEND_DID = "friend_did"
    RELATIVE_DID = "relative_did"
    CONSIDERED = "considered"
    SHOWS = "shows"
    FRIEND_SHOWS = "friend_shows"
    RELATIVE_SHOWS = "relative_shows"
    REJECTS = "rejects"
    TRIED = "tried"
    SHELVED = "shelved"
    HEARD_OF = "heard_of"


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement about ``value`` (an item, event, reason or trait), made on ``said_on``.

    ``stage`` counts the thread's stages from 0; ``topic`` is where it is said; ``when`` the
    occasion it concerns, if any; ``contact`` whom it is about, where that is not the user;
    ``reason`` only stands with DROPS.
    """

    fact_id: str
    thread_id: str
    relation: Relation
    value: str
    topic: str
    stage: int
    said_on: date
    when: str = ""
    contact: Contact | None = None
    reason: str = ""


_FIRST_STAGE = {
    "current": Relation.UNMOVED,
    "former": Relation.LIKES,
    "somebody_else": Relation.CONTACT_LIKES,
    "declined": Relation.DECLINES,
}
_SECOND_STAGE = {
    "current": Relation.TAKES_UP,
    "former": Relation.DROPS,
    "somebody_else": Relation.CONTACT_STILL_LIKES,
    "declined": Relation.STILL_DECLINES,
}
_REASONS = {
    "other_change": Relation.OTHER_CHANGE_BECAUSE,
    "somebody_else": Relation.CONTACT_STOPPED_BECAUSE,
    "ruled_out": Relation.NOT_BECAUSE,
}
_FACTS = {
    "own": Relation.DID,
    "friend": Relation.FRIEND_DID,
    "relative": Relation.RELATIVE_DID,
    "considered": Relation.CONSIDERED,
}
_TRAITS = {
    "own": Relation.SHOWS,
    "friend": Relation.FRIEND_SHOWS,
    "relative": Relation.RELATIVE_SHOWS,
    "rejected": Relation.REJECTS,
}
_IDEAS = {"tried": Relation.TRIED, "shelved": Relation.SHELVED, "heard_of": Relation.HEARD_OF}


def derive_facts(
    thread: Thread,
    persona: Persona,
    persona_index: int,
    dates: dict[str, tuple[date, ...]],
    random: Random,
) -> tuple[Fact, ...]:
    """Return the persona's facts of ``thread``, stage by stage.

    ``dates[topic]`` are the dates of the topic's four periods. ``random`` draws the contacts.
    """
    friend, relative = random.choice(persona.friends), random.choice(persona.relatives)
    anybody, anybody_else = random.sample((friend, relative), 2)
    rows: list[tuple[Relation, str, int, str, Contact | None, str]] = []
    if thread.kind is Kind.PREFERENCE:
        reasons = dict(zip(thread.reason_roles_of(persona_index), thread.reasons, strict=True))
        for stage, relations in enumerate((_FIRST_STAGE, _SECOND_STAGE)):
            for role, name in zip(thread.roles_of(persona_index), thread.candidates, strict=True):
                contact = anybody if role == "somebody_else" else None
                reason = reasons["this_change"] if relations[role] is Relation.DROPS else ""
                rows.append((relations[role], name, stage, thread.topic, contact, reason))
        for role, relation in _REASONS.items():
            contact = anybody_else if role == "somebody_else" else None
            rows.append((relation, reasons[role], 1, thread.topic, contact, ""))
    elif thread.kind is Kind.EVOLUTION:
        assert thread.item is not None
        history = next(
            value
            for role, value in zip(thread.roles_of(persona_index), thread.candidates, strict=True)
            if role == "history"
        )
        for stage in range(3):
            relation = _turn(history[stage - 1] if stage else "", history[stage])
            rows.append((relation, thread.item.name, stage, thread.topic, None, ""))
    elif thread.kind is Kind.FACT:
        people = {"friend": friend, "relative": relative}
        for role, value in zip(thread.roles_of(persona_index), thread.candidates, strict=True):
            rows.append((_FACTS[role], value, 0, thread.topic, people.get(role), ""))
    elif thread.kind is Kind.TRAIT:
        # Each trait thread has people of its own, so that nobody has two traits at odds.
        number = int(thread.thread_id.rsplit("-", 1)[1])
        people = {"friend": persona.friends[number], "relative": persona.relatives[number]}
        for topic in thread.trait_topics:
            for role, value in zip(thread.roles_of(persona_index), thread.candidates, strict=True):
                rows.append((_TRAITS[role], value, 0, topic, people.get(role), ""))
    else:
        for role, value in zip(thread.roles_of(persona_index), thread.candidates, strict=True):
            if role != "new":
                contact = anybody if role == "heard_of" else None
                rows.append((_IDEAS[role], value, 0, thread.topic, contact, ""))
    return tuple(
        Fact(
            fact_id=f"{thread.thread_id}-{number}",
            thread_id=thread.thread_id,
            relation=relation,
            value=value,
            topic=topic,
            stage=stage,
            said_on=dates[topic][thread.periods[stage]],
            when=_occasion(thread, relation),
            contact=contact,
            reason=reason,
        )
        for number, (relation, value, stage, topic, contact, reason) in enumerate(rows)
    )


def _occasion(thread: Thread, relation: Relation) -> str:
    aside = relation is Relation.OTHER_CHANGE_BECAUSE
    occasion = thread.side_occasion if aside else thread.occasion
    return occasion.when if occasion else ""


def _turn(before: str, now: str) -> Relation:
    return {
        "+": Relation.STARTS_LIKING,
        "-": Relation.STARTS_DISLIKING,
        "++": Relation.STAYS_LIKING,
        "--": Relation.STAYS_DISLIKING,
        "+-": Relation.TURNS_AWAY,
        "-+": Relation.TURNS_TOWARDS,
    }[before + now]
