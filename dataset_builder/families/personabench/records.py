"""Sessions as they are written to disk, and what proves an answer."""

from dataclasses import dataclass
from datetime import datetime

from personamem.dataset_builder.families.personabench.asking import QuestionSpec
from personamem.dataset_builder.families.personabench.outline import Turn
from personamem.loaders.personabench.schema import DocumentKind, GoldValue, Purchase, Utterance


@dataclass(frozen=True, slots=True)
class Session:
    """One document. ``partner`` is a name, None but in conversations.

    ``outline`` has a turn for every message as the embedded writer made it.

    ``noise_rank`` is None for sessions that reveal something asked; a noise level has those of the
    others whose rank is below its number of them.
    """

    session_id: str
    kind: DocumentKind
    time: datetime
    partner: str | None
    messages: tuple[Utterance, ...]
    purchases: tuple[Purchase, ...]
    noise_rank: int | None
    outline: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One question with its proof; ``ask`` is what the world says about it."""

    question_id: str
    ask: QuestionSpec
    gold: tuple[GoldValue, ...]


@dataclass(frozen=True, slots=True)
class Archive:
    """All documents of one test user, in time order, and the questions they are asked."""

    user: int
    sessions: tuple[Session, ...]
    questions: tuple[OpenQuestion, ...]
