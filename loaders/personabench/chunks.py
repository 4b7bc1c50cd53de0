"""The text under which a session is indexed and shown to a model: one session, one chunk."""

import json
from typing import Any, Literal

from personamem.loaders.personabench.records import Session
from personamem.loaders.personabench.schema import Utterance

ChunkForm = Literal["json", "plain"]
CHUNK_FORMS: tuple[ChunkForm, ...] = ("json", "plain")


def render_chunk(session: Session, form: ChunkForm = "json") -> str:
    """Return the text of a session: the official JSON form, or plain lines."""
    return render_json(session) if form == "json" else render_plain(session)


def render_json(session: Session) -> str:
    """Return the official form: compact JSON, ASCII only, without session label and id."""
    entry: dict[str, Any] = {"time": session.timestamp}
    if session.partner is not None:
        entry["target_name"] = session.partner
    if session.kind == "purchase_history":
        entry[session.kind] = [
            {
                "title": item.title,
                "description": item.description,
                "brand": item.brand,
                "categories": item.categories,
            }
            for item in session.purchases
        ]
    else:
        entry[session.kind] = [
            {"role": message.role, "content": message.content} for message in session.messages
        ]
    return json.dumps(entry, separators=(",", ":"))


def render_plain(session: Session) -> str:
    """Return the time on a line, then a line per message (``role: content``) or purchase."""
    lines = map(_render_message, session.messages)
    return "\n".join([session.timestamp, *lines, *render_purchases(session)])


def render_purchases(session: Session) -> list[str]:
    """Return a line per purchase."""
    return [
        f"{item.title} ({item.brand}; {', '.join(item.categories)}): {item.description}"
        for item in session.purchases
    ]


def _render_message(message: Utterance) -> str:
    return f"{message.role}: {message.content}"
