"""The store of langgraph (package ``langgraph-checkpoint``): messages by the nearest embeddings."""

import json
import os
from pathlib import Path
from typing import Any

from langgraph.store.memory import InMemoryStore
from lines import embed, limit, serve, write_date

MOST_RESULTS = 200

store = InMemoryStore(
    index={
        "dims": int(os.environ["PERSONAMEM_DIMENSIONS"]),
        "embed": embed,
        "fields": ["text"],
    }
)
users: set[str] = set()


def add(user: str, session_id: str, messages: list[dict[str, str]]) -> None:
    """Keep the messages of a session, one by one."""
    users.add(user)
    for number, message in enumerate(messages):
        if message["role"] != "system":
            text = write_date(message["timestamp"], message["content"])
            store.put((user,), f"{session_id}/{number:04}", {"text": text, "session": session_id})


def search(user: str, query: str, as_of: str, max_tokens: int) -> dict[str, Any]:
    """Return the nearest messages of a user."""
    found = store.search((user,), query=query, limit=MOST_RESULTS)
    return {"results": limit([_read(item) for item in found], max_tokens)}


def list_memories(user: str) -> dict[str, Any]:
    """Return all messages of a user."""
    return {"results": [_read(item) for item in store.search((user,), limit=1_000_000)]}


def reset(user: str) -> None:
    """Forget a user."""
    for item in store.search((user,), limit=1_000_000):
        store.delete(item.namespace, item.key)


def save(folder: str) -> None:
    """Write all messages; embeddings are computed again by ``load``."""
    kept = [
        [user, item.key, item.value]
        for user in sorted(users)
        for item in store.search((user,), limit=1_000_000)
    ]
    Path(folder).mkdir(parents=True, exist_ok=True)
    (Path(folder) / "messages.json").write_text(json.dumps(kept))


def load(folder: str) -> None:
    """Read what ``save`` wrote."""
    for user, key, value in json.loads((Path(folder) / "messages.json").read_text()):
        users.add(user)
        store.put((user,), key, value)


def _read(item: Any) -> dict[str, Any]:
    return {
        "text": item.value["text"],
        "score": getattr(item, "score", None) or 0.0,
        "sources": [item.value["session"]],
    }


serve(
    {
        "add": add,
        "search": search,
        "list": list_memories,
        "reset": reset,
        "save": save,
        "load": load,
    }
)
