"""An adapter written for benchd-harness, unchanged.

``PERSONAMEM_ADAPTER`` names it as ``module:Class``, with ``ingest(turns)``, ``recall(query)``, and
``setup``, ``reset`` and ``teardown``. Its interface knows one user, so each user gets an instance.
"""

from typing import Any

from lines import import_adapter, serve, write_date

adapters: dict[str, Any] = {}


def add(user: str, session_id: str, messages: list[dict[str, str]]) -> None:
    """Hand the turns of a session over, with their times."""
    if user not in adapters:
        adapters[user] = import_adapter()
        adapters[user].setup()
    adapters[user].ingest(
        [
            {
                "role": m["role"],
                "content": write_date(m["timestamp"], m["content"]),
                "timestamp": m["timestamp"],
                "metadata": {"session_id": session_id},
            }
            for m in messages
        ]
    )


def search(user: str, query: str, as_of: str, max_tokens: int) -> dict[str, Any]:
    """Return the text that the adapter recalls."""
    text = adapters[user].recall(query) if user in adapters else ""
    return {"results": [{"text": text}] if text else []}


def reset(user: str) -> None:
    """Forget a user."""
    if user in adapters:
        adapters.pop(user).reset()


serve({"add": add, "search": search, "reset": reset})
for adapter in adapters.values():
    adapter.teardown()
