"""Reading a chat server's reply: a text and its tokens."""

from typing import Any

from personamem.dataset_builder.llm.records import Answer
from personamem.loaders.formats.http_client import Reply
from personamem.loaders.formats.transport import error_of_body
from personamem.loaders.formats.usage import read_token_counts


def read_answer(reply: Reply) -> Answer:
    """Return the answer in a reply.

    An empty or missing text is an answer: the model had nothing to say, and would say nothing to
    another attempt. A missing choice is an error of the server.

    Raises:
        TransportError: the reply holds no choice, or one whose content is not a text.
    """
    value = reply.value if isinstance(reply.value, dict) else {}
    choice = _find_first(value.get("choices"))
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise error_of_body("without choices", reply.excerpt)
    content, refusal = message.get("content"), message.get("refusal")
    if content is not None and not isinstance(content, str):
        raise error_of_body("whose content is not a text", reply.excerpt)
    reason = choice.get("finish_reason")
    if not content and isinstance(refusal, str) and refusal:
        content, reason = refusal, "refusal"
    counts = read_token_counts(value)
    return Answer(
        text=content or "",
        finish_reason=reason if isinstance(reason, str) else None,
        model=value["model"] if isinstance(value.get("model"), str) else None,
        prompt_tokens=counts.prompt,
        completion_tokens=counts.completion,
        cached_tokens=counts.cached,
    )


def _find_first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None
