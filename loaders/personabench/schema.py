"""What the files of open questions hold: columns, and records that writer and reader share.

Open questions are asked over private documents, after PersonaBench (arXiv 2502.20616).
"""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from personamem.loaders.formats.schema import MESSAGE_TYPE

FAMILY = "personabench"
"""The name under which a manifest has these splits."""

NOISE_SPLITS = {"noise_0": 0.0, "noise_03": 0.3, "noise_05": 0.5, "noise_07": 0.7}
"""Share of a person's documents that reveal nothing asked for, by split name (open questions)."""

PURCHASE_TYPE = pa.struct(
    [
        pa.field("title", pa.string()),
        pa.field("description", pa.string()),
        pa.field("brand", pa.string()),
        pa.field("categories", pa.list_(pa.string())),
    ]
)

DOCUMENTS_SCHEMA = pa.schema(
    [
        pa.field("community", pa.string()),
        pa.field("person", pa.string()),
        pa.field("session_id", pa.string()),
        pa.field("kind", pa.string()),
        pa.field("time", pa.timestamp("s")),
        pa.field("partner", pa.string()),
        pa.field("messages", pa.list_(MESSAGE_TYPE)),
        pa.field("purchases", pa.list_(PURCHASE_TYPE)),
    ]
)
"""``documents/<split>.parquet``: one row a private document of ``person``, who knows ``partner``.
No column says which documents reveal something that is asked for."""

GOLD_TYPE = pa.struct(
    [pa.field("value", pa.string()), pa.field("session_ids", pa.list_(pa.string()))]
)

OPEN_QUESTIONS_SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string()),
        pa.field("community", pa.string()),
        pa.field("person", pa.string()),
        pa.field("question", pa.string()),
        pa.field("answer", pa.string()),
        pa.field("question_type", pa.string()),
        pa.field("difficulty", pa.string()),
        pa.field("attribute", pa.string()),
        pa.field("hops", pa.int64()),
        pa.field("outdated_values", pa.string()),
        pa.field("gold", pa.list_(GOLD_TYPE)),
    ]
)
"""``open_questions/<split>.parquet``: ``answer`` and ``outdated_values`` are JSON. Any one session
of a ``gold`` value reveals it, and all values are needed."""


DocumentKind = Literal["conversation", "user_ai_interaction", "purchase_history"]
"""What a private document is."""


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
