"""The rows of the second release (arXiv 2512.06688), with the class that decides what is right.

Two things tell rows apart: ``pref_type`` as the release has it, and ``kind``, which says what a
reply is to do: use what is known of the user (``self``, ``updated``), or leave it out (``forget``,
``others``, ``sensitive``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from personamem.loaders.formats.schema import Message

SPLITS = ("32k", "128k")
"""Sizes of the histories."""

TABLES = {name: f"benchmark/text/{name}.csv" for name in ("benchmark", "train", "val")}
"""The tables of text queries, by name."""

TABLE = TABLES["benchmark"]

FORGET_TYPE = "ask_to_forget"
SENSITIVE_TYPES = ("sensitive_info", "sensitive_information")
"""The present name, and one of earlier files."""

SCENARIOS = (
    *("personal_email", "professional_email", "creative_writing", "professional_writing"),
    *("chat_message", "translation", "trouble_consult", "social_media_post", "knowledge_query"),
)

COLUMNS = (
    *("persona_id", "chat_history_32k_link", "chat_history_128k_link", "raw_persona_file"),
    *("short_persona", "expanded_persona", "user_query", "correct_answer", "incorrect_answers"),
    *("topic_query", "preference", "topic_preference", "conversation_scenario", "pref_type"),
    *("related_conversation_snippet", "who", "updated", "prev_pref", "sensitive_info"),
    "distance_from_related_snippet_to_query_32k",
    "distance_from_related_snippet_to_query_128k",
    *("total_tokens_in_chat_history_32k", "total_tokens_in_chat_history_128k"),
    *("num_persona_relevant_tokens_32k", "num_persona_relevant_tokens_128k"),
    *("num_persona_irrelevant_tokens_32k", "num_persona_irrelevant_tokens_128k"),
)
"""The columns of the tables."""

Kind = Literal["self", "updated", "forget", "others", "sensitive"]
KINDS: tuple[Kind, ...] = ("self", "updated", "forget", "others", "sensitive")


@dataclass(frozen=True, slots=True)
class HistoryFacts:
    """What a row says of the history of one size; numbers are o200k_base tokens, None if unknown.

    ``distance`` lies between the snippet and the query, which follows the whole history.
    """

    link: str
    distance: int | None
    total_tokens: int | None
    relevant_tokens: int | None
    irrelevant_tokens: int | None


@dataclass(frozen=True, slots=True)
class Version2Row:
    """One query: a row of ``benchmark.csv``, ``train.csv`` or ``val.csv``.

    ``number`` counts rows from 1. ``histories`` are by size. ``snippet`` are the messages that
    reveal ``preference``. Columns that a file lacks are empty texts, empty mappings or False.
    """

    number: int
    persona_id: int
    histories: Mapping[str, HistoryFacts]
    raw_persona_file: str
    short_persona: str
    expanded_persona: Mapping[str, Any]
    user_query: str
    correct_answer: str
    incorrect_answers: tuple[str, ...]
    topic_query: str
    preference: str
    topic_preference: str
    conversation_scenario: str
    pref_type: str
    snippet: tuple[Message, ...]
    who: Literal["self", "others"]
    updated: bool
    prev_pref: str
    sensitive_info: bool

    @property
    def question_id(self) -> str:
        """The release names no query: the number of the row does."""
        return f"row-{self.number}"

    @property
    def kind(self) -> Kind:
        """What a reply is to do with what is known of the user."""
        if self.sensitive_info or self.pref_type in SENSITIVE_TYPES:
            return "sensitive"
        if self.pref_type == FORGET_TYPE:
            return "forget"
        if self.who == "others":
            return "others"
        return "updated" if self.updated else "self"
