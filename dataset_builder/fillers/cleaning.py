"""Cleaning real chats: what a row of somebody's dataset has to be to go into a context.

A row has a list of messages, or a prompt and a response. Rows are left out, with the reason, rather
than mended: a chat in which something was replaced is no real chat.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any

from personamem.dataset_builder.core.text.messages import MessageTexts
from personamem.dataset_builder.core.text.personal import find_personal
from personamem.dataset_builder.core.text.residue import find_residue
from personamem.dataset_builder.fillers.everyday import Chat

LIST_COLUMNS = (
    *("messages", "conversation", "conversations", "chat", "dialog", "dialogue", "turns"),
)
"""Columns that hold a list of messages, the first that is there counts."""

PAIR_COLUMNS = (("prompt", "response"), ("instruction", "output"), ("question", "answer"))
"""Columns that hold the user's message and the assistant's."""

MOST_LETTERS = 12_000
MOST_MESSAGES = 20

NO_CHAT = "no chat between a user and an assistant"
TOO_LONG = f"longer than {MOST_LETTERS:,} letters or {MOST_MESSAGES} messages"
FOREIGN = "not English"
UNSAFE = "marked as toxic or redacted"
MARKERS = "control characters or markers of a model"
PERSONAL = "personal data"
RESIDUE = "looks like a template: slots, doubled words"
TWICE = "the same opening as another"

REASONS = (NO_CHAT, TOO_LONG, FOREIGN, UNSAFE, MARKERS, PERSONAL, RESIDUE, TWICE)

_SPEAKERS = {
    **dict.fromkeys(("user", "human", "prompter", "person"), "user"),
    **dict.fromkeys(("assistant", "gpt", "bot", "model", "chatbot", "ai"), "assistant"),
    "system": "system",
}
_SPEAKER_KEYS = ("role", "from", "speaker", "author")
_TEXT_KEYS = ("content", "value", "text", "message")
MARKER = re.compile(
    r"<\|[^|<>]{1,40}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|</?s>"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]"
)
"""Signs of a template of a model, and control characters."""

_ENGLISH = frozenset({"english", "en", "eng"})


class Cleaner:
    """Turns rows into chats. Remembers what it has seen, so that no chat comes twice."""

    def __init__(self, column: str = "") -> None:
        """``column`` names the list of messages; empty: it is one of the usual names."""
        self._columns = (column,) if column else LIST_COLUMNS
        self._seen: set[str] = set()

    def clean(self, row: Mapping[str, Any]) -> Chat | str:
        """Return the chat of a row, or the reason why it is left out, one of ``REASONS``."""
        messages = _find_messages(row, self._columns)
        if not messages:
            return NO_CHAT
        reason = _find_reason(row, messages)
        if reason:
            return reason
        opening = hashlib.sha256(" ".join(messages[0].lower().split()).encode()).hexdigest()[:16]
        if opening in self._seen:
            return TWICE
        self._seen.add(opening)
        return Chat(key=f"c{opening}", messages=tuple(messages), is_form=False)


def _find_reason(row: Mapping[str, Any], messages: Sequence[str]) -> str:
    language = row.get("language") or row.get("lang")
    if sum(map(len, messages)) > MOST_LETTERS or len(messages) > MOST_MESSAGES:
        return TOO_LONG
    if isinstance(language, str) and language.lower() not in _ENGLISH:
        return FOREIGN
    if any(row.get(name) is True for name in ("toxic", "redacted")):
        return UNSAFE
    if any(map(MARKER.search, messages)):
        return MARKERS
    texts = MessageTexts("", messages, ["user", "assistant"] * (len(messages) // 2))
    if any(hits.count for hits in find_personal(texts).values()):
        return PERSONAL
    if any(hits.count for hits in find_residue(texts, slips=True).values()):
        return RESIDUE
    return ""


def _find_messages(row: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    """Return the texts of user and assistant in turn; empty if that is not what a row holds."""
    for column in columns:
        if isinstance(row.get(column), list):
            return _alternate([_read_message(message) for message in row[column]])
    for ask, reply in PAIR_COLUMNS:
        if isinstance(row.get(ask), str) and isinstance(row.get(reply), str):
            return _alternate([("user", row[ask]), ("assistant", row[reply])])
    return []


def _read_message(message: Any) -> tuple[str, str]:
    """Return who speaks and the text; empty where a message says neither."""
    if not isinstance(message, Mapping):
        return "", ""
    speaker = next((message[key] for key in _SPEAKER_KEYS if key in message), None)
    text = next((message[key] for key in _TEXT_KEYS if key in message), None)
    if not isinstance(speaker, str) or not isinstance(text, str):
        return "", ""
    return _SPEAKERS.get(speaker.lower(), ""), text.strip()


def _alternate(found: Sequence[tuple[str, str]]) -> list[str]:
    spoken = [(speaker, text) for speaker, text in found if speaker != "system"]
    if spoken and spoken[-1][0] == "user":
        spoken.pop()
    expected = ["user", "assistant"] * (len(spoken) // 2)
    if not spoken or [speaker for speaker, _ in spoken] != expected:
        return []
    return [text for _, text in spoken] if all(text for _, text in spoken) else []
