"""Life events, and the choices that each of them ends: somebody in one small room sews no more.

An event is told by a text about its own errands, which says nothing of what it ends. Three readers
said which event each text shows, and of every choice of the bank whether somebody to whom an event
has happened can still have it; content/events.json is the record, with digests of the texts.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from random import Random
from typing import Annotated

from pydantic import Field

from personamem.dataset_builder.core.content_yaml import Strict, read_content
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    list_need_ids,
)
from personamem.dataset_builder.families.personamem.lives.need import CONTENT, Artefact, Text
from personamem.dataset_builder.families.personamem.lives.readings import hash_artefact
from personamem.dataset_builder.families.personamem.lives.rules import NameFinder
from personamem.loaders.formats.errors import InvalidInputError

TEXTS, ENDS = CONTENT / "events.yaml", CONTENT / "events.json"

ChoiceId = tuple[NeedId, str]
"""A need and the key of one of its choices."""


class LifeEvent(Strict):
    """An event: ``what`` completes "This person has ...", ``reason`` says it to the user."""

    key: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    what: Text
    reason: Annotated[str, Field(pattern=r"^because ")]
    texts: Annotated[tuple[Artefact, ...], Field(min_length=2)]


class _Events(Strict):
    events: tuple[LifeEvent, ...]


class _Ends(Strict):
    """content/events.json: who read, and the digests of the texts that were read.

    ``ends`` are the choices, as "topic/need/choice", of which all readers said that an event ends
    them, ``touches`` those of which at least one did.
    """

    readers: str
    ends: Mapping[str, tuple[str, ...]]
    touches: Mapping[str, tuple[str, ...]]
    sha256: Mapping[str, tuple[str, ...]]


@cache
def list_events() -> Mapping[str, LifeEvent]:
    """Return all events by their keys. Raises InvalidInputError naming the file and the entry."""
    return {event.key: event for event in read_content(TEXTS, "events", _Events).events}


@cache
def list_ended() -> Mapping[str, frozenset[ChoiceId]]:
    """Return the choices that each event ends, beyond doubt.

    Raises InvalidInputError for an event that ends nothing, or something that does not exist.
    """
    ends = _read_ends().ends
    if set(ends) != set(list_events()):
        differing = ", ".join(sorted(set(ends) ^ set(list_events())))
        raise InvalidInputError(f"{ENDS}: its events are not those of {TEXTS.name}: {differing}.")
    for key, names in ends.items():
        if not names:
            raise InvalidInputError(
                f"{ENDS}: {key} ends nothing. Accepted: one choice or more, as topic/need/choice."
            )
    return {key: _parse(key, names) for key, names in ends.items()}


@cache
def list_touched() -> Mapping[str, frozenset[ChoiceId]]:
    """Return the choices that each event ends, or that somebody may think it ends."""
    touched = _read_ends().touches
    return {key: _parse(key, touched.get(key, ())) | ended for key, ended in list_ended().items()}


def _read_ends() -> _Ends:
    return read_content(ENDS, "ends of events", _Ends)


class Happenings:
    """The events in the lives of a group: each happens once and rules out nothing that goes on."""

    def __init__(self, random: Random) -> None:
        """Start without any."""
        self.ended: frozenset[ChoiceId] = frozenset()
        self._random = random
        self._happened: set[str] = set()

    def draw(self, choice: ChoiceId, told: Collection[ChoiceId]) -> str:
        """Return the key of an event that ends ``choice`` and no other that is told, or ""."""
        fitting = [
            key
            for key, ended in list_ended().items()
            if key not in self._happened
            and choice in ended
            and list_touched()[key].intersection(told) == {choice}
        ]
        return self._random.choice(fitting) if fitting else ""

    def keep(self, event: str) -> None:
        """Let an event happen; "" is none."""
        if event:
            self._happened.add(event)
            self.ended |= list_touched()[event]


def list_reasons(
    need_id: NeedId, candidates: Sequence[str], endings: Sequence[int], events: Sequence[str]
) -> list[str]:
    """Return why each candidate comes to an end: by an event, or in one of its own endings."""
    need = get_need(need_id)
    return [
        list_events()[event].reason if event else need.find_choice(key).endings[number].reason
        for key, number, event in zip(candidates, endings, events, strict=True)
    ]


def find_unread() -> list[str]:
    """Return which texts of events are not as they were read, one line each."""
    read = _read_ends().sha256
    return [
        f"events.{name}.{number}: nobody has read it as it stands"
        for name, event in list_events().items()
        for number, artefact in enumerate(event.texts)
        if hash_artefact(artefact) not in read.get(name, ())
    ]


def require_read_events() -> None:
    """Raise InvalidInputError unless the texts of events are those that were read."""
    if problems := find_unread():
        raise InvalidInputError(
            f"{TEXTS}: {problems[0]}. Restore the text, or have it read and put its digest into "
            f"{ENDS.name}."
        )


def find_event_problems() -> list[str]:
    """Return which texts of events are unread, or name a choice that the event ends."""
    problems = find_unread()
    for name, ended in list_ended().items():
        for number, artefact in enumerate(list_events()[name].texts):
            text = "\n".join(artefact.list_texts())
            for need_id, key in sorted(ended):
                finder = _make_finder(need_id)
                problems += [f"events.{name}.{number}: {named}" for named in finder.find(text, key)]
    return problems


@cache
def _make_finder(need_id: NeedId) -> NameFinder:
    return NameFinder(get_need(need_id))


def _parse(event: str, names: Sequence[str]) -> frozenset[ChoiceId]:
    found = set()
    for name in names:
        topic, _, rest = name.partition("/")
        need, _, key = rest.partition("/")
        known = (topic, need) in list_need_ids()
        if not known or key not in {choice.key for choice in get_need((topic, need)).choices}:
            raise InvalidInputError(
                f"{ENDS}: {event} ends {name!r}, which does not exist. Accepted: topic/need/choice "
                "of the bank."
            )
        found.add(((topic, need), key))
    return frozenset(found)
