"""What PersonaBench is about: people who know each other, their documents, and open questions.

The same records serve the official release and datasets of our own. Terms and counts follow the
PersonaBench paper (arXiv 2502.20616) and its release.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from personamem.loaders.personabench.schema import (
    Difficulty,
    DocumentKind,
    GoldValue,
    Purchase,
    QuestionType,
    Utterance,
)

AnswerItem = str | int | float | Mapping[str, str | int | float]
"""A short text, a number, or named values such as ``{"cat": "Whiskers"}``."""

Answer = AnswerItem | tuple[AnswerItem, ...]
"""One item, or a list of items whose order carries no meaning."""

Category = Literal["basic", "preference_easy", "preference_hard", "social", "subjective"]

CATEGORIES: tuple[Category, ...] = (
    "basic",
    "preference_easy",
    "preference_hard",
    "social",
    "subjective",
)
"""The rows of the paper's tables, in their order; Subjective is in no row of its own there."""


@dataclass(frozen=True, slots=True)
class Person:
    """A member of a community; ``persona`` is one sentence on who they are."""

    community: str
    name: str
    persona: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed edge: ``source`` is ``target``'s ``relationship`` (names of people)."""

    source: str
    target: str
    relationship: str
    description: str


@dataclass(frozen=True, slots=True)
class Question:
    """An open question of one person about themselves or somebody they know.

    ``outdated_values`` are former items of the answer that no longer hold. Questions on the own
    person speak in the first person: the text does not say who asks.
    """

    question_id: str
    community: str
    person: str
    text: str
    answer: Answer
    question_type: QuestionType
    difficulty: Difficulty
    outdated_values: tuple[AnswerItem, ...]

    @property
    def category(self) -> Category:
        """The row of the result tables: difficulty tells only preferences apart."""
        if self.question_type == "Preference":
            return "preference_easy" if self.difficulty == "easy" else "preference_hard"
        categories: dict[QuestionType, Category] = {
            "Basic information": "basic",
            "Social": "social",
            "Subjective": "subjective",
        }
        return categories[self.question_type]


@dataclass(frozen=True, slots=True)
class Community:
    """People, how they are related, and the questions of all of them.

    The release asks questions of people who have no documents: those are here and in no archive.
    """

    name: str
    people: tuple[Person, ...]
    relations: tuple[Relation, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """One document: a dated conversation, chat with an assistant, or purchase of some items.

    ``timestamp`` is ``time`` as it was written. ``partner`` is whom a conversation was with, else
    None. ``purchases`` is empty unless the kind is ``purchase_history``, and ``messages`` if it is.
    """

    session_id: str
    kind: DocumentKind
    timestamp: str
    time: datetime
    partner: str | None
    messages: tuple[Utterance, ...]
    purchases: tuple[Purchase, ...]


@dataclass(frozen=True, slots=True)
class GroundedQuestion:
    """A question with what must be found in one archive to answer it.

    Each of ``gold`` is needed. For a two-hop question of the release only the last hop is listed:
    the session that says who is meant is not.
    """

    question: Question
    gold: tuple[GoldValue, ...]

    @property
    def gold_session_ids(self) -> tuple[str, ...]:
        """One session per value, the first that reveals it; each session once."""
        return tuple(dict.fromkeys(value.session_ids[0] for value in self.gold))


@dataclass(frozen=True, slots=True)
class Archive:
    """All private documents of one person at one noise level, and the questions on them.

    ``sessions`` are in the order in which the release is indexed: conversations by partner, then
    chats with the assistant, then purchases; each in the order of its file. ``noise`` is the share
    of sessions that reveal nothing asked for.
    """

    person: Person
    noise: float
    sessions: tuple[Session, ...]
    questions: tuple[GroundedQuestion, ...]

    def in_time_order(self) -> tuple[Session, ...]:
        """Return the sessions by time, then by id."""
        return order_by_time(self.sessions)


def list_asked(archive: Archive) -> tuple[GroundedQuestion, ...]:
    """Return the questions that are scored: all but Subjective ones, as in the official code."""
    return tuple(
        asked for asked in archive.questions if asked.question.question_type != "Subjective"
    )


def order_by_time(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Return sessions by time, then by id."""
    return tuple(sorted(sessions, key=lambda session: (session.time, session.session_id)))
