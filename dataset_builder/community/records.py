"""Sessions as they are written to disk, and what proves an answer."""

from dataclasses import dataclass
from datetime import datetime

from personamem.dataset_builder.community.asking import Ask
from personamem.dataset_builder.community.drafts import Kind


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance; ``role`` is a person's name, or ``user`` or ``assistant``."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Purchase:
    """One item bought."""

    title: str
    description: str
    brand: str
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """One document. ``partner`` is a name, None but in conversations.

    ``noise_rank`` is None for sessions that reveal something asked; a noise level has those of the
    others whose rank is below its number of them.
    """

    session_id: str
    kind: Kind
    time: datetime
    partner: str | None
    messages: tuple[Utterance, ...]
    purchases: tuple[Purchase, ...]
    noise_rank: int | None


@dataclass(frozen=True, slots=True)
class Gold:
    """One value to find and the sessions that reveal it: any one is enough."""

    value: str
    session_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One question with its proof; ``ask`` is what the world says about it."""

    question_id: str
    ask: Ask
    gold: tuple[Gold, ...]


@dataclass(frozen=True, slots=True)
class Archive:
    """All documents of one test user, in time order, and the questions they are asked."""

    user: int
    sessions: tuple[Session, ...]
    questions: tuple[OpenQuestion, ...]
