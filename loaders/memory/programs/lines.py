"""Newline-JSON over stdio for the programs of this folder: one object in, one object out.

Environment: ``OPENAI_BASE_URL`` with embeddings, and chats where a model is named;
``PERSONAMEM_LLM`` that model; ``PERSONAMEM_DIMENSIONS`` of the embeddings; ``PERSONAMEM_ADAPTER``
the class of an adapter, as ``module:Class``.
"""

import importlib
import json
import os
import sys
import traceback
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Operation = Callable[..., Any]


def serve(operations: Mapping[str, Operation]) -> None:
    """Answer requests until there are no more; stdout belongs to the replies alone."""
    replies, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        request = json.loads(line)
        name = request.pop("op")
        if name == "open":
            reply: Any = {"methods": sorted(operations)}
            if "open" in operations:
                operations["open"](**request)
        elif name == "close":
            break
        else:
            reply = _run(operations, name, request)
        print(json.dumps(reply), file=replies, flush=True)


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Return the embeddings of texts."""
    request = urllib.request.Request(
        os.environ["OPENAI_BASE_URL"] + "/embeddings",
        json.dumps({"input": list(texts), "model": "embedder"}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as reply:
        return [row["embedding"] for row in json.load(reply)["data"]]


def import_adapter() -> Any:
    """Return a new object of the user's class, which may stand in the working directory."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    module, _, name = os.environ["PERSONAMEM_ADAPTER"].partition(":")
    return getattr(importlib.import_module(module), name)()


def write_date(timestamp: str, text: str) -> str:
    """Return a text that begins with its day: dates beside a text get lost on the way."""
    return f"[{timestamp[:10]}] {text}"


def limit(found: Sequence[Mapping[str, Any]], max_tokens: int) -> list[Mapping[str, Any]]:
    """Return the first results, more than fit: who asked counts tokens, and cuts."""
    kept, left = [], 8 * max_tokens
    for result in found:
        if left <= 0:
            break
        left -= len(result["text"])
        kept.append(result)
    return kept


def _run(operations: Mapping[str, Operation], name: str, request: Mapping[str, Any]) -> Any:
    if name not in operations:
        return {"ok": True}
    try:
        reply = operations[name](**request)
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}
    return {"ok": True} if reply is None else reply
