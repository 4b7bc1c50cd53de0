"""A memory of one's own, in a process of its own: run `personamem memory --system 'cmd:...'` on it.

It keeps every session and returns those that share most words with the query. Anything that reads
and writes a JSON object a line can take its place, in any language and environment.
"""

import json
import sys
from collections.abc import Callable

kept: dict[str, list[tuple[str, str]]] = {}


def add(user: str, session_id: str, messages: list[dict[str, str]]) -> dict[str, object]:
    """Keep a session with its day."""
    said = [m["content"] for m in messages if m["role"] != "system"]
    text = "\n".join([messages[0]["timestamp"][:10], *said])
    kept.setdefault(user, []).append((session_id, text))
    return {"ok": True}


def search(user: str, query: str, as_of: str, max_tokens: int) -> dict[str, object]:
    """Return the sessions that share most words with the query, as many as fit."""
    wanted = set(query.lower().split())
    ranked = sorted(kept.get(user, []), key=lambda s: -len(wanted & set(s[1].lower().split())))
    found, left = [], 2 * max_tokens  # A token has two letters or more, on average.
    for session_id, text in ranked:
        if len(text) <= left:
            left -= len(text)
            found.append({"text": text, "sources": [session_id]})
    return {"results": found}


operations: dict[str, Callable[..., dict[str, object]]] = {"add": add, "search": search}

for line in sys.stdin:
    request = json.loads(line)
    operation = request.pop("op")
    if operation == "close":
        break
    known = operations.get(operation)
    print(json.dumps(known(**request) if known else {"ok": True}), flush=True)
