"""Names and records that builders, loaders and tasks share: topics, question types, sizes, tables.

The records are the tables: their fields are the columns, in order, with their types.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, TypedDict

import pyarrow as pa

from personamem.loaders.formats.records import make_schema

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

FORGET = "respect_requests_to_forget"
OTHERS = "tell_apart_what_others_prefer"
SENSITIVE = "withhold_what_is_confidential"
NEVER_TOLD = "know_what_was_never_told"

QUESTION_TYPES = (
    RECALL,
    ACKNOWLEDGE,
    EVOLUTION,
    REASONS,
    RECOMMEND,
    GENERALIZE,
    NEW_IDEAS,
)
"""The types of the official release."""

MORE_QUESTION_TYPES = (OTHERS, FORGET, NEVER_TOLD, SENSITIVE)
"""Types beyond those of the official release, after those of PersonaMem-v2."""

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
class ContextHead:
    """What a row of ``contexts/<split>.parquet`` states beside its messages.

    ``session_starts`` are message indices, topics of unrelated sessions are empty texts, dates are
    ISO 8601.
    """

    shared_context_id: str
    persona_id: int
    num_messages: int
    num_tokens: int
    num_letters: int
    session_starts: tuple[int, ...]
    session_topics: tuple[str, ...]
    session_dates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One multiple-choice question: a row of ``benchmark/<split>.parquet``.

    The fields up to ``end_index_in_shared_context`` are the columns of the official release;
    ``options`` are the four texts without letters, in order. Official releases do not state every
    length and distance: those are None.
    """

    persona_id: int
    question_id: str
    question_type: str
    topic: str
    context_length_in_tokens: int | None
    context_length_in_letters: int
    distance_to_ref_in_blocks: int | None
    distance_to_ref_in_tokens: int | None
    num_irrelevant_tokens: int | None
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
    """Why the gold of one question is the gold: a row of ``annotations/<split>.parquet``.

    ``evidence_message_indices`` point into the shared context and prove the gold;
    ``related_message_indices`` hold these and the mentions of the other three options. ``pair_id``
    joins a question asked before and after an update; without a pair, it and ``pair_position`` are
    empty. ``level`` says how the evidence is told: stated, named, implied or combined. ``updates``
    counts how often the preference had changed, ``sessions_per_answer`` the sessions that hold the
    evidence, ``distractors`` those that hold related messages and no evidence.
    """

    question_id: str
    quad_id: str
    pair_id: str
    pair_position: Literal["before", "after", ""]
    thread_id: str
    asked_on: str
    option_roles: tuple[str, ...]
    option_keys: tuple[str, ...]
    evidence_message_indices: tuple[int, ...]
    related_message_indices: tuple[int, ...]
    level: str
    updates: int
    sessions_per_answer: int
    distractors: int


OFFICIAL_COLUMNS = tuple(
    field.name for field in fields(Question) if field.name not in ("options", "answer_index")
)
"""The 15 columns of the official PersonaMem release, in its order."""

BENCHMARK_SCHEMA = make_schema(Question)
"""``benchmark/<split>.parquet``."""

MESSAGE_TYPE = pa.struct(make_schema(Message))

CONTEXTS_SCHEMA = make_schema(ContextHead).append(pa.field("messages", pa.list_(MESSAGE_TYPE)))
"""``contexts/<split>.parquet``: one row a context, what ``ContextHead`` states and its messages."""

ANNOTATIONS_SCHEMA = make_schema(Annotation)
"""``annotations/<split>.parquet``."""
