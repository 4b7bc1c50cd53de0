"""An adapter written for the Agent Memory Benchmark (``memory_bench``), unchanged.

``PERSONAMEM_ADAPTER`` names it as ``module:Class``: a ``MemoryProvider`` with ``ingest(documents)``
and ``retrieve(query, k, user_id, query_timestamp)``, and with ``initialize``, ``prepare`` and
``cleanup`` where it has them. A session is a document; what comes back names its id.
"""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lines import import_adapter, limit, serve, write_date

FOUND = 50

try:
    from memory_bench.models import Document
except ImportError:

    @dataclass
    class Document:  # type: ignore[no-redef]
        """The fields of memory_bench's own record, for adapters that do not import it."""

        id: str
        content: str
        user_id: str | None = None
        messages: list[dict[str, str]] | None = None
        timestamp: str | None = None
        context: str | None = None


provider = import_adapter()
sessions: dict[str, str] = {}


def add(user: str, session_id: str, messages: list[dict[str, str]]) -> None:
    """Hand a session over as one document."""
    said = [m for m in messages if m["role"] != "system"]
    if not said:
        return
    lines = [f"{m['role']}: {m['content']}" for m in said]
    document = Document(
        id=f"{user}/{session_id}",
        content=write_date(said[0]["timestamp"], "\n".join(lines)),
        user_id=user,
        messages=said,
        timestamp=said[0]["timestamp"],
    )
    sessions[document.id] = session_id
    provider.ingest([document])


def search(user: str, query: str, as_of: str, max_tokens: int) -> dict[str, Any]:
    """Return the texts of what was retrieved."""
    found = call(provider.retrieve, query, k=FOUND, user_id=user, query_timestamp=as_of)
    documents = found[0] if isinstance(found, tuple) else found
    return {
        "results": limit(
            [
                {"text": document.content, "sources": [sessions[document.id]]}
                if document.id in sessions
                else {"text": document.content}
                for document in documents
            ],
            max_tokens,
        )
    }


def call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a method with those of the options that it takes: versions of the interface differ."""
    known = inspect.signature(function).parameters
    takes_all = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values())
    chosen = {name: value for name, value in options.items() if takes_all or name in known}
    return function(*arguments, **chosen)


if hasattr(provider, "initialize"):
    provider.initialize()
if hasattr(provider, "prepare"):
    place = Path(os.environ["PERSONAMEM_FOLDER"]) / "store"
    place.mkdir(parents=True, exist_ok=True)
    call(provider.prepare, place, unit_ids=None, reset=True)
serve({"add": add, "search": search})
if hasattr(provider, "cleanup"):
    provider.cleanup()
