"""One request to a server that fails."""

from typing import Any

from fault_server import Behaviour, serve_faults

from personamem.dataset_builder.llm import AnswerStore, Request, Server, complete_all

KEY = "sk-secret-4711"


def make_request(prompt: str, **settings: Any) -> Request:
    """A request of one message."""
    return Request("stub", ({"role": "user", "content": prompt},), **settings)


def ask_one(store: AnswerStore, behaviour: Behaviour, request: Request, **settings: Any) -> Any:
    """The outcome of one request, and how often it was asked."""
    prompt = request.messages[-1]["content"]
    with serve_faults(behaviour) as server:
        complete_all([request], store, Server(server.url, KEY, **settings))
        asked = server.counts[prompt]["asked"]
    return store.get(request.key), asked
