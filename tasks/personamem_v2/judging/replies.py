"""An open reply with what it is judged by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from personamem.loaders.formats.model_text import strip_reasoning
from personamem.loaders.personamem.version2.records import KINDS


@dataclass(frozen=True, slots=True)
class OpenReply:
    """A reply with what it is judged by; ``text`` is empty where a model wrote no reply."""

    question_id: str
    persona: int
    kind: str
    pref_type: str
    scenario: str
    query: str
    preference: str
    former: str
    gold: str
    secrets: tuple[str, ...]
    text: str


def make_reply(doc: Mapping[str, Any], text: str) -> OpenReply:
    """Return the reply ``text`` to a document of an open task.

    Raises LookupError, TypeError or ValueError where it is no such document.
    """
    if doc["mode"] != "open" or doc["kind"] not in KINDS:
        raise ValueError("it is not of an open task")
    return OpenReply(
        question_id=str(doc["question_id"]),
        persona=int(doc["persona_id"]),
        kind=str(doc["kind"]),
        pref_type=str(doc["question_type"]),
        scenario=str(doc["scenario"]),
        query=str(doc["user_question_or_message"]),
        preference=str(doc["preference"]),
        former=str(doc["prev_pref"]),
        gold=str(doc["gold"]),
        secrets=tuple(str(secret) for secret in doc["secrets"]),
        text=strip_reasoning(text) or "",
    )
