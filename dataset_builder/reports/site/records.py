"""What a site shows, whatever the family: contexts as chats, questions at their places, answers.

Messages are numbered from 0 within their context, as everywhere in the project.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from personamem.loaders.formats.errors import InvalidInputError

Verdict = Literal["right", "partly", "wrong"]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. ``role`` decides how it looks, ``speaker`` is the name that it carries."""

    role: Literal["system", "user", "assistant", "document"]
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """The messages from ``start`` to the next session; ``date`` and ``topic`` may be empty."""

    start: int
    date: str
    topic: str
    title: str


@dataclass(frozen=True, slots=True)
class Option:
    """One of the replies to choose from; ``role`` says what it is to the user, or is empty."""

    text: str
    role: str
    is_gold: bool


@dataclass(frozen=True, slots=True)
class Proof:
    """The messages that prove the gold, or one of its values: ``value`` is empty or that value."""

    value: str
    messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What run number ``run`` answered; ``chosen`` is the index of an option, or None.

    ``why`` says what is wrong with it, where the dataset knows; ``cause`` which link of a memory
    broke, where one served the answer; ``scores`` are figures by name.
    """

    run: int
    text: str
    verdict: Verdict
    chosen: int | None = None
    why: str = ""
    cause: str = ""
    scores: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class SiteQuestion:
    """A question, asked when ``place`` messages of its context have been seen.

    ``facets`` are the values to filter by, in the order of ``SiteSplit.facets``; an empty text says
    that there is none. ``gold`` is the answer of an open question, one text a value. ``related``
    are messages that mention other options. ``details`` are pairs of a label and a text.
    """

    question_id: str
    text: str
    place: int
    asked_on: str
    facets: tuple[str, ...]
    options: tuple[Option, ...] = ()
    gold: tuple[str, ...] = ()
    proofs: tuple[Proof, ...] = ()
    related: tuple[int, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    answers: tuple[Answer, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """From ``start`` to before ``end`` (ISO 8601), a lane had ``state``; ``is_held`` marks a fact
    that was the user's own then.
    """

    start: str
    end: str
    state: str
    is_held: bool


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened to a fact on a day: it was told in a message, or asked.

    ``target`` is the number of the message, or the id of the question.
    """

    kind: Literal["told", "asked"]
    date: str
    text: str
    target: int | str


@dataclass(frozen=True, slots=True)
class Lane:
    """One candidate of a fact over time."""

    label: str
    spans: tuple[Span, ...] = ()
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """What the world says about one matter: when each candidate held, was told, and was asked."""

    fact_id: str
    title: str
    topic: str
    note: str
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, slots=True)
class SiteContext:
    """One context, whole. ``tokens`` is None where nobody states the length."""

    context_id: str
    label: str
    turns: Sequence[Turn]
    sessions: Sequence[Session]
    questions: Sequence[SiteQuestion]
    facts: Sequence[Fact] = ()
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """Answers of one model or memory system: where they come from, and what it saw."""

    name: str
    source: Path
    condition: str


@dataclass(frozen=True, slots=True)
class SiteSplit:
    """One split of a dataset.

    ``facets`` are the names of what questions can be filtered by, ``notes`` say what the dataset
    does not state. ``read`` yields the contexts one after the other.
    """

    name: str
    family: str
    facets: tuple[str, ...]
    notes: tuple[str, ...]
    runs: tuple[Run, ...]
    read: Callable[[], Iterator[SiteContext]]


def shorten(text: str, letters: int) -> str:
    """Return the text on one line, cut at a word with an ellipsis if it is longer."""
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    return line[:letters].rsplit(" ", 1)[0] + "\u2026"


def refuse_foreign(source: Path, question_id: str) -> InvalidInputError:
    """Return the error for samples of a question that the dataset does not have."""
    return InvalidInputError(
        f"{source} holds answers to another dataset or split: there is no question {question_id!r} "
        "here. Accepted: samples of an evaluation on the splits that the site shows."
    )
