"""mem0 (package ``mem0ai`` 2.x): messages as they are, or facts that a model extracts.

The day of a session stands in its texts, since mem0's own dates are those of the run. What comes
from which session stands in the metadata.
"""

import atexit
import logging
import os
import shutil
from pathlib import Path
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
FOLDER = Path(os.environ["PERSONAMEM_FOLDER"])
os.environ["MEM0_DIR"] = str(FOLDER / "home")

from lines import limit, serve, write_date  # noqa: E402
from mem0 import Memory  # noqa: E402

# What mem0 does without (spaCy, fastembed) it would say anew for each instance.
logging.getLogger("mem0").setLevel(logging.ERROR)

MODEL = os.environ.get("PERSONAMEM_LLM", "")
MOST_RESULTS = 200
STORE = FOLDER / "store"

_memory: Memory | None = None


def open_memory() -> Memory:
    """Return the memory on disk, opened once."""
    global _memory
    if _memory is None:
        server = {"openai_base_url": os.environ["OPENAI_BASE_URL"], "api_key": "none"}
        dimensions = int(os.environ["PERSONAMEM_DIMENSIONS"])
        store = {
            "path": str(STORE / "vectors"),
            "collection_name": "memories",
            "embedding_model_dims": dimensions,
            "on_disk": True,
        }
        STORE.mkdir(parents=True, exist_ok=True)
        _memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "embedder": {"provider": "openai", "config": {"model": "embedder", **server}},
                "llm": {"provider": "openai", "config": {"model": MODEL or "none", **server}},
                "history_db_path": str(STORE / "history.db"),
            }
        )
        atexit.register(_memory.vector_store.client.close)
    return _memory


def add(user: str, session_id: str, messages: list[dict[str, str]]) -> None:
    """Take in a session."""
    told = [
        {"role": m["role"], "content": write_date(m["timestamp"], m["content"])}
        for m in messages
        if m["role"] != "system"
    ]
    if told:
        metadata = {"session": session_id, "date": messages[0]["timestamp"]}
        open_memory().add(told, user_id=user, metadata=metadata, infer=bool(MODEL))


def search(user: str, query: str, as_of: str, max_tokens: int) -> dict[str, Any]:
    """Return the nearest memories of a user."""
    found = open_memory().search(query, filters={"user_id": user}, top_k=MOST_RESULTS)["results"]
    return {"results": limit([_read(memory) for memory in found], max_tokens)}


def list_memories(user: str) -> dict[str, Any]:
    """Return all memories of a user."""
    found = open_memory().get_all(filters={"user_id": user}, top_k=1_000_000)["results"]
    return {"results": [_read(memory) for memory in found]}


def reset(user: str) -> None:
    """Forget a user."""
    open_memory().delete_all(user_id=user)


def save(folder: str) -> None:
    """Copy what is on disk."""
    open_memory()
    shutil.copytree(STORE, folder, dirs_exist_ok=True)


def load(folder: str) -> None:
    """Go on from a copy."""
    shutil.copytree(folder, STORE, dirs_exist_ok=True)


def _read(memory: dict[str, Any]) -> dict[str, Any]:
    session = (memory.get("metadata") or {}).get("session")
    return {
        "text": memory["memory"],
        "score": memory.get("score") or 0.0,
        "sources": [session] if session else [],
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
