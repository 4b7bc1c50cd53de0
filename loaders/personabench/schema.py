"""What the files of open questions hold: records that are the rows of their tables.

Open questions are asked over private documents, after PersonaBench (arXiv 2502.20616).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from personamem.loaders.formats.records import make_schema

FAMILY = "personabench"
"""The name under which a manifest has these splits."""

NOISE_SPLITS = {"noise_0": 0.0, "noise_03": 0.3, "noise_05": 0.5, "noise_07": 0.7}
"""Share of a person's documents that reveal nothing asked for, by split name (open questions)."""

DocumentKind = Literal["conversation", "user_ai_interaction", "purchase_history"]
"""What a private document is."""

Difficulty = Literal["easy", "hard"]
QuestionType = Literal["Basic information", "Preference", "Social", "Subjective"]


@dataclass(frozen=True, slots=True)
class Utterance:
    """One utterance in a document; ``role`` is a person's name, or ``user`` or ``assistant``."""

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
class GoldValue:
    """One value to find, and the documents that reveal it: any one of them is enough."""

    value: str
    session_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A private document of ``person``, who knows ``partner``: a row of ``documents``.

    No column states which documents reveal something that is asked for.
    """

    community: str
    person: str
    session_id: str
    kind: DocumentKind
    time: datetime
    partner: str | None
    messages: tuple[Utterance, ...]
    purchases: tuple[Purchase, ...]


@dataclass(frozen=True, slots=True)
class OpenQuestionRow:
    """One open question: a row of ``open_questions``.

    ``answer`` and ``outdated_values`` are JSON. Any one session of a ``gold`` value reveals it, and
    all values are needed.
    """

    question_id: str
    community: str
    person: str
    question: str
    answer: str
    question_type: QuestionType
    difficulty: Difficulty
    attribute: str
    hops: int
    outdated_values: str
    gold: tuple[GoldValue, ...]


DOCUMENTS_SCHEMA = make_schema(DocumentRow)
"""``documents/<split>.parquet``."""

OPEN_QUESTIONS_SCHEMA = make_schema(OpenQuestionRow)
"""``open_questions/<split>.parquet``."""
