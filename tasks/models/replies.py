"""Checks of a server's reply before lm-eval reads it."""

import os
from typing import Any

from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.http_client import Reply
from personamem.loaders.formats.transport import error_of_body

PLACEHOLDER_VARIABLE = "LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER"
"""lm-eval's own environment variable: if it is set, it is the text of a reply without one."""


class RequestFailedError(PersonamemError):
    """A request to a server has no usable reply."""


def check_reply(reply: Reply, prompts: int, generate: bool) -> dict[str, Any]:
    """Return a reply's JSON object with one whole choice per prompt, in order.

    A choice is whole if it has a text; an empty text counts only if the model stopped by itself.

    Raises:
        TransportError: choices are missing, incomplete or numbered wrongly.
    """
    value = reply.value
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise error_of_body("without choices", reply.excerpt)
    if len(choices) != prompts:
        raise error_of_body(f"with {len(choices)} choices for {prompts} prompts", reply.excerpt)
    for position, choice in enumerate(choices):
        choice.setdefault("index", position)
    choices.sort(key=lambda choice: str(choice["index"]).zfill(9))
    if [choice["index"] for choice in choices] != list(range(prompts)):
        raise error_of_body("with choices that are numbered wrongly", reply.excerpt)
    if generate and PLACEHOLDER_VARIABLE not in os.environ:
        for choice in choices:
            _check_text(choice, reply.excerpt)
    assert isinstance(value, dict)
    return value


def _check_text(choice: dict[str, Any], excerpt: str) -> None:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else choice.get("text")
    reason = choice.get("finish_reason")
    if isinstance(content, str) and (content or reason == "stop"):
        return
    if content is not None and not isinstance(content, str):
        raise error_of_body("whose content is not a text", excerpt)
    if reason in ("length", "content_filter"):
        raise error_of_body(
            f"without a text (finish_reason {reason!r}; more tokens: --gen_kwargs max_gen_toks=N; "
            f"to count such replies as wrong, set {PLACEHOLDER_VARIABLE})",
            excerpt,
            may_pass=False,
        )
    raise error_of_body("without a text", excerpt)
