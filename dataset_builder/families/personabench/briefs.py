"""Briefs of documents: what a model is to write in place of the embedded writer, and what not.

A brief states for one document what ``check`` holds a whole dataset to: which words stand in which
message, and which words of the archive stand in no other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from personamem.dataset_builder.families.personabench.attributes import (
    AttributePack,
    attribute_packs,
)
from personamem.dataset_builder.families.personabench.documents import build_archives, list_watched
from personamem.dataset_builder.families.personabench.graph import Community, build_community
from personamem.dataset_builder.families.personabench.others import grounded_values
from personamem.dataset_builder.families.personabench.outline import Segment, Turn
from personamem.dataset_builder.families.personabench.profiles import Profile, draw_profiles
from personamem.dataset_builder.families.personabench.records import Archive, Session
from personamem.dataset_builder.families.personabench.scenes import TermMatcher
from personamem.loaders.personabench.schema import DocumentKind, Utterance


@dataclass(frozen=True, slots=True)
class Guarded:
    """What may stand in the documents of one archive only where it is planned.

    ``words`` are in small letters: all values of what is asked, and how people are related.
    ``watch`` looks for these and all other values, so that it takes "pad thai" for no "thai".
    ``members`` are the names of everybody in the community.
    """

    watch: TermMatcher
    words: frozenset[str]
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TurnBrief:
    """One message: who says it, and for what. ``fixed`` ones are not the model's to write."""

    role: str
    parts: tuple[Segment, ...]
    embedded: str
    fixed: bool

    @property
    def said(self) -> Segment | None:
        """The part that carries a matter, if there is one: a message has one at most."""
        said = (part for part in self.parts if part.step == "say")
        return next(said, None)


@dataclass(frozen=True, slots=True)
class DocumentBrief:
    """What a model is to write: a conversation, or a chat with an assistant.

    ``person`` is whose document it is. ``apart`` are texts no message may hold, as they would
    answer both hops of a question at once. ``tempting`` are those of the guarded words that
    somebody who writes on the themes of the document could come upon.
    """

    session_id: str
    kind: DocumentKind
    time: datetime
    person: str
    partner: str | None
    turns: tuple[TurnBrief, ...]
    apart: tuple[str, ...]
    tempting: tuple[str, ...]
    guarded: Guarded

    def fill(self, texts: Sequence[str]) -> tuple[Utterance, ...]:
        """Return the document with ``texts`` for the messages that are not fixed, in order."""
        left = iter(texts)
        return tuple(
            Utterance(turn.role, turn.embedded if turn.fixed else next(left)) for turn in self.turns
        )


def brief_documents(seed: int, number: int) -> Iterator[DocumentBrief]:
    """Yield the briefs of a community, archive by archive, signal and noise in order of time.

    Purchases are no prose. In chats, exchanges that are unrelated to anybody stay as they are:
    their answers are computed. A chat of nothing else has no brief.
    """
    packs = attribute_packs()
    community = build_community(seed, number)
    profiles = draw_profiles(community, packs, seed)
    for archive in build_archives(seed, number):
        partners = community.relations_of(archive.user)
        known = [profiles[member] for member in (archive.user, *partners)]
        asks = [question.ask for question in archive.questions]
        asked = tuple(dict.fromkeys(ask.attribute for ask in asks if ask.attribute))
        guarded = _guard(community, asked, known, packs)
        for session in archive.sessions:
            turns = tuple(map(_brief_turn, session.messages, session.outline))
            if any(not turn.fixed for turn in turns):
                yield DocumentBrief(
                    session_id=session.session_id,
                    kind=session.kind,
                    time=session.time,
                    person=community.members[archive.user].name,
                    partner=session.partner,
                    turns=turns,
                    apart=_list_apart(archive, session),
                    tempting=_list_tempting(turns, asked, known, packs),
                    guarded=guarded,
                )


def _brief_turn(message: Utterance, turn: Turn) -> TurnBrief:
    fixed = any(part.matter.kind == "unrelated" for part in turn.parts)
    return TurnBrief(message.role, turn.parts, message.content, fixed)


def _guard(
    community: Community,
    asked: Sequence[str],
    known: Sequence[Profile],
    packs: Mapping[str, AttributePack],
) -> Guarded:
    watched = list(list_watched(asked, known, packs))
    return Guarded(
        watch=TermMatcher([*watched, *_all_values()]),
        words=frozenset(map(str.casefold, watched)),
        members=tuple(member.name for member in community.members),
    )


@cache
def _all_values() -> tuple[str, ...]:
    """Return the values of all attributes but ages."""
    found: list[str] = []
    for pack in attribute_packs().values():
        found += pack.all_values()
        if pack.grounded and pack.kind != "number":
            found += (value.removeprefix("the ") for value in grounded_values(pack.grounded))
    return tuple(dict.fromkeys(found))


def _list_apart(archive: Archive, session: Session) -> tuple[str, ...]:
    found: list[str] = []
    for question in archive.questions:
        if question.ask.form == "two_hop":
            who, *what = question.gold
            if session.session_id in who.session_ids:
                found += (entry.plain for entry in question.ask.entries)
            if any(session.session_id in gold.session_ids for gold in what):
                found.append(question.ask.relation)
    return tuple(dict.fromkeys(found))


def _list_tempting(
    turns: Sequence[TurnBrief],
    asked: Sequence[str],
    known: Sequence[Profile],
    packs: Mapping[str, AttributePack],
) -> tuple[str, ...]:
    themes = dict.fromkeys(part.matter.theme for turn in turns for part in turn.parts)
    named = {v.casefold() for turn in turns for part in turn.parts for v in part.matter.values}
    found = list_watched([theme for theme in themes if theme in asked], known, packs)
    return tuple(dict.fromkeys(value for value in found if value.casefold() not in named))
