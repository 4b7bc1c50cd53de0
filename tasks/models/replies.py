"""What a server's reply is worth: an answer, a failure that may pass, or one that will not."""

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from personamem.loaders.formats.errors import PersonamemError

PLACEHOLDER_VARIABLE = "LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER"
"""lm-eval's own: where it is set, it is the text of a reply without one."""

LONGEST_PAUSE = 60.0
_SHOWN = 300
_PASSING_STATUS = frozenset({408, 409, 425, 429})


class RequestFailedError(PersonamemError):
    """A request to a server that has no usable reply."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What came back in place of an answer; whether another attempt makes sense; and when."""

    what: str
    passing: bool = True
    retry_after: str | None = None


def check_reply(text: str, prompts: int, generate: bool) -> dict[str, Any] | Failure:
    """Return a reply's JSON object with one whole choice per prompt, in order, or the failure.

    A choice is whole if it has a text; an empty text counts only if the model stopped by itself.
    """
    try:
        reply = json.loads(text)
    except json.JSONDecodeError:
        return failure_of_body("not JSON", text)
    choices = reply.get("choices") if isinstance(reply, dict) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        return failure_of_body("without choices", text)
    if len(choices) != prompts:
        return failure_of_body(f"with {len(choices)} choices for {prompts} prompts", text)
    for position, choice in enumerate(choices):
        choice.setdefault("index", position)
    choices.sort(key=lambda choice: str(choice["index"]).zfill(9))
    if [choice["index"] for choice in choices] != list(range(prompts)):
        return failure_of_body("with choices that are numbered wrongly", text)
    if generate and PLACEHOLDER_VARIABLE not in os.environ:
        for choice in choices:
            failure = _check_text(choice, text)
            if failure is not None:
                return failure
    assert isinstance(reply, dict)
    return reply


def failure_of_status(status: int, text: str, retry_after: str | None) -> Failure:
    """Return the failure of a reply whose HTTP status is not 200."""
    passing = status in _PASSING_STATUS or status >= 500
    return Failure(f"status {status}, body {_shorten(text)}", passing, retry_after)


def failure_of_body(problem: str, text: str, passing: bool = True) -> Failure:
    """Return the failure of a body that cannot be used."""
    return Failure(f"status 200, but a body {problem}: {_shorten(text)}", passing)


def seconds_to_wait(attempt: int, retry_after: str | None, now: datetime | None = None) -> float:
    """Return the pause after an attempt (the first is 1).

    The server's Retry-After is honoured, in seconds or as a date; without one the pauses double
    from 1 s up to 60 s.
    """
    if retry_after:
        try:
            return max(0.0, float(retry_after))
        except ValueError:
            pass
        try:
            until = parsedate_to_datetime(retry_after)
        except ValueError:
            pass
        else:
            moment = until if until.tzinfo else until.replace(tzinfo=UTC)
            return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
    return float(min(2.0 ** (attempt - 1), LONGEST_PAUSE))


def _check_text(choice: dict[str, Any], body: str) -> Failure | None:
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else choice.get("text")
    reason = choice.get("finish_reason")
    if isinstance(content, str) and (content or reason == "stop"):
        return None
    if content is not None and not isinstance(content, str):
        return failure_of_body("whose content is no text", body)
    if reason in ("length", "content_filter"):
        return failure_of_body(
            f"without a text (finish_reason {reason!r}; more tokens: --gen_kwargs max_gen_toks=N; "
            f"to count such replies as wrong, set {PLACEHOLDER_VARIABLE})",
            body,
            passing=False,
        )
    return failure_of_body("without a text", body)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")
