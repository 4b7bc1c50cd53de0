"""Names and tables that builders, loaders and tasks share: topics, question types, sizes, columns.

The 15 benchmark columns, their order and types are those of the official PersonaMem release.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

import pyarrow as pa

TOPICS = (
    "bookRecommendation",
    "datingConsultation",
    "familyRelations",
    "financialConsultation",
    "foodRecommendation",
    "homeDecoration",
    "legalConsultation",
    "medicalConsultation",
    "movieRecommendation",
    "musicRecommendation",
    "onlineShopping",
    "sportsRecommendation",
    "studyConsultation",
    "therapy",
    "travelPlanning",
)

ACKNOWLEDGE = "acknowledge_latest_user_preferences"
RECALL = "recall_user_shared_facts"
EVOLUTION = "track_full_preference_evolution"
REASONS = "recalling_the_reasons_behind_previous_updates"
RECOMMEND = "provide_preference_aligned_recommendations"
GENERALIZE = "generalizing_to_new_scenarios"
NEW_IDEAS = "suggest_new_ideas"

QUESTION_TYPES = (
    RECALL,
    ACKNOWLEDGE,
    EVOLUTION,
    REASONS,
    RECOMMEND,
    GENERALIZE,
    NEW_IDEAS,
)

SIZES = {
    "4k": 4_096,
    "8k": 8_192,
    "32k": 32_768,
    "64k": 65_536,
    "128k": 131_072,
    "1M": 1_048_576,
}
"""Budget of a context in o200k_base tokens, summed over message contents, by split name."""

LETTERS = "abcd"

MAX_LENGTH_RATIO = 1.25
"""The longest option of a quad has at most this many times the shortest's letters."""

COHORT_SIZE = 4
"""Personas of a cohort: as many as a question has options, so each option is gold for one."""

OFFICIAL_COLUMNS = (
    "persona_id",
    "question_id",
    "question_type",
    "topic",
    "context_length_in_tokens",
    "context_length_in_letters",
    "distance_to_ref_in_blocks",
    "distance_to_ref_in_tokens",
    "num_irrelevant_tokens",
    "distance_to_ref_proportion_in_context",
    "user_question_or_message",
    "correct_answer",
    "all_options",
    "shared_context_id",
    "end_index_in_shared_context",
)

_INTEGER_COLUMNS = {
    "persona_id",
    "context_length_in_tokens",
    "context_length_in_letters",
    "distance_to_ref_in_blocks",
    "distance_to_ref_in_tokens",
    "num_irrelevant_tokens",
    "end_index_in_shared_context",
}

BENCHMARK_SCHEMA = pa.schema(
    [
        pa.field(name, pa.int64() if name in _INTEGER_COLUMNS else pa.string())
        for name in OFFICIAL_COLUMNS
    ]
    + [pa.field("options", pa.list_(pa.string())), pa.field("answer_index", pa.int64())]
)
"""``benchmark/<split>.parquet``: ``options`` are the four texts without letters, in order."""

MESSAGE_TYPE = pa.struct([pa.field("role", pa.string()), pa.field("content", pa.string())])

CONTEXTS_SCHEMA = pa.schema(
    [
        pa.field("shared_context_id", pa.string()),
        pa.field("persona_id", pa.int64()),
        pa.field("num_messages", pa.int64()),
        pa.field("num_tokens", pa.int64()),
        pa.field("num_letters", pa.int64()),
        pa.field("session_starts", pa.list_(pa.int64())),
        pa.field("session_topics", pa.list_(pa.string())),
        pa.field("session_dates", pa.list_(pa.string())),
        pa.field("messages", pa.list_(MESSAGE_TYPE)),
    ]
)
"""``contexts/<split>.parquet``: one row a context; ``session_starts`` are message indices, topics
of unrelated sessions are empty strings, dates are ISO 8601."""

ANNOTATIONS_SCHEMA = pa.schema(
    [
        pa.field("question_id", pa.string()),
        pa.field("quad_id", pa.string()),
        pa.field("pair_id", pa.string()),
        pa.field("pair_position", pa.string()),
        pa.field("thread_id", pa.string()),
        pa.field("asked_on", pa.string()),
        pa.field("option_roles", pa.list_(pa.string())),
        pa.field("option_keys", pa.list_(pa.string())),
        pa.field("evidence_message_indices", pa.list_(pa.int64())),
        pa.field("related_message_indices", pa.list_(pa.int64())),
    ]
)
"""``annotations/<split>.parquet``: why the gold is the gold. ``evidence_message_indices`` prove it;
``related_message_indices`` also hold the mentions of the other three options. ``pair_id`` joins
one asked before and after an update (``pair_position`` "before" or "after", else empty strings)."""


class Message(TypedDict):
    """One chat message, in the form that every chat API and template takes."""

    role: str
    content: str


UNKNOWN_PERSONA = -1
"""``persona_id`` where a release does not name the persona."""


@dataclass(frozen=True, slots=True)
class ContextRecord:
    """One context with what its file states about it.

    ``session_starts`` are message indices. Official releases state no topics, dates and totals:
    there ``session_topics`` and ``session_dates`` are empty, ``persona_id`` is
    ``UNKNOWN_PERSONA`` and the totals are None.
    """

    context_id: str
    messages: Sequence[Message]
    session_starts: tuple[int, ...]
    persona_id: int = UNKNOWN_PERSONA
    session_topics: tuple[str, ...] = ()
    session_dates: tuple[str, ...] = ()
    num_tokens: int | None = None
    num_letters: int | None = None

    def session_at(self, message: int) -> int:
        """Return the number of the session that holds message ``message``."""
        return bisect_right(self.session_starts, message) - 1

    def session_ending_at(self, end: int) -> int | None:
        """Return the number of the session whose last message is ``end - 1``, or None."""
        ends = (*self.session_starts[1:], len(self.messages))
        return ends.index(end) if end in ends else None


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question. The first 15 fields are the official columns."""

    persona_id: int
    question_id: str
    question_type: str
    topic: str
    context_length_in_tokens: int
    context_length_in_letters: int
    distance_to_ref_in_blocks: int
    distance_to_ref_in_tokens: int
    num_irrelevant_tokens: int
    distance_to_ref_proportion_in_context: str
    user_question_or_message: str
    correct_answer: str
    all_options: str
    shared_context_id: str
    end_index_in_shared_context: int
    options: tuple[str, ...]
    answer_index: int


@dataclass(frozen=True, slots=True)
class Annotation:
    """One question's annotation; the fields are the columns of ``ANNOTATIONS_SCHEMA``.

    ``evidence_message_indices`` point into the shared context and prove the gold;
    ``related_message_indices`` also hold the mentions of the other three options.
    """

    question_id: str
    quad_id: str
    pair_id: str
    pair_position: str
    thread_id: str
    asked_on: str
    option_roles: tuple[str, ...]
    option_keys: tuple[str, ...]
    evidence_message_indices: tuple[int, ...]
    related_message_indices: tuple[int, ...]


def make_annotation(row: Mapping[str, Any]) -> Annotation:
    """Return a row whose keys are the columns of ``ANNOTATIONS_SCHEMA`` as an annotation."""
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
    }
    return Annotation(**values)
