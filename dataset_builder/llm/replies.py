"""The reading of a reply's body: a text and its tokens, or a fault."""

import json
from typing import Any

from personamem.dataset_builder.llm.faults import Fault, fault_of_body
from personamem.dataset_builder.llm.records import Answer


def read_reply(body: bytes, content_type: str = "") -> Answer | Fault:
    """Return the answer in the body of a reply with status 200.

    An empty or missing text is an answer: the model had nothing to say, and would not if it were
    asked again. A missing choice is a fault of the server.
    """
    try:
        reply = json.loads(body)
    except (ValueError, RecursionError):
        is_page = "html" in content_type.lower()
        return fault_of_body("that is not whole JSON", body.decode("utf-8", "replace"), is_page)
    choice = _first(reply.get("choices")) if isinstance(reply, dict) else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return fault_of_body("without choices", body.decode("utf-8", "replace"))
    content, refusal = message.get("content"), message.get("refusal")
    if content is not None and not isinstance(content, str):
        return fault_of_body("whose content is no text", body.decode("utf-8", "replace"))
    usage = reply.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    reason = choice.get("finish_reason")
    if not content and isinstance(refusal, str) and refusal:
        content, reason = refusal, "refusal"
    return Answer(
        text=content or "",
        finish_reason=reason if isinstance(reason, str) else None,
        model=reply["model"] if isinstance(reply.get("model"), str) else None,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None
