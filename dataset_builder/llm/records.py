"""Requests to a chat model, and their outcomes.

A request's key is a hash of everything that decides the answer, so that another run finds the same
request again. The address of a server and the pace of requests are not part of it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message

OWN_FIELDS = ("model", "messages", "response_format", "stream", "n")
"""Fields of a request's body that no parameter may set: others set them, or none is supported."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request for one answer.

    Args:
        model: its name on the server.
        messages: the whole conversation. They should describe the form of the answer, since not
            every server accepts a schema.
        parameters: of sampling, under the names of the server (temperature, max_tokens, seed ...).
        schema: JSON schema of the answer, for servers with structured output.

    ``key`` is the SHA-256 of the canonical JSON of all of these. Do not modify their contents.

    Raises:
        InvalidInputError: no messages, a field that is not a sampling parameter, or a value that
            JSON cannot express.
    """

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    schema: Mapping[str, Any] | None = None
    key: str = field(init=False)

    def __post_init__(self) -> None:
        """Check the request and compute its key."""
        if not self.messages:
            raise InvalidInputError(f"A request to {self.model!r} has no messages.")
        for name in OWN_FIELDS:
            if name in self.parameters:
                raise InvalidInputError(
                    f"{name!r} is not a parameter of a request. Accepted: the server's parameters "
                    "of sampling, such as temperature, max_tokens and seed."
                )
        object.__setattr__(self, "key", hashlib.sha256(self.to_json().encode()).hexdigest())

    def to_json(self) -> str:
        """Return the canonical JSON: sorted keys, no spaces, ASCII only."""
        whole = {
            "model": self.model,
            "messages": [dict(message) for message in self.messages],
            "parameters": dict(self.parameters),
            "schema": self.schema,
        }
        try:
            text = _dump(whole)
            # Requests are sent in UTF-8, which cannot express half of a surrogate pair.
            json.dumps(whole, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise InvalidInputError(
                f"A request to {self.model!r} holds half of a surrogate pair, "
                f"{error.object[error.start : error.start + 1]!a}, which cannot be sent."
            ) from None
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidInputError(
                f"A request to {self.model!r} holds a value that is no JSON: {error}."
            ) from None
        return text

    @property
    def max_tokens(self) -> int | None:
        """The most tokens that an answer may have, or None if no parameter sets it."""
        for name in ("max_completion_tokens", "max_tokens"):
            if isinstance(self.parameters.get(name), int):
                return int(self.parameters[name])
        return None


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer; ``model`` is the name that the server reports.

    The text is unchecked: it may be empty, and hold NUL and halves of surrogate pairs. Token counts
    are the server's, None if it reports none; ``cached_tokens`` are those tokens of the prompt that
    were in its cache.
    """

    text: str
    finish_reason: str | None
    model: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None


class FailureKind(StrEnum):
    """Why a request has no answer."""

    TOO_LONG = "too long"
    """The answer had more bytes than the server's ``max_bytes``."""
    REFUSED = "refused"
    """The server refuses this prompt: too long for the model, or filtered."""
    UNANSWERED = "unanswered"
    """All attempts failed with errors that may pass. Another run tries again."""
    GIVEN_UP = "given up"
    """Unanswered, and the caller went on without an answer; stored, so that it does so again."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A request without an answer."""

    kind: FailureKind
    reason: str

    @property
    def lasts(self) -> bool:
        """Whether the same request would fail again, so that the failure is stored."""
        return self.kind is not FailureKind.UNANSWERED


Outcome: TypeAlias = Answer | Failure


def outcome_to_json(outcome: Outcome) -> str:
    """Return an outcome as ASCII JSON, which preserves any text."""
    return _dump(asdict(outcome))


def outcome_from_json(text: str) -> Outcome:
    """Return the outcome in a text; raise ValueError or TypeError if it holds none."""
    fields = json.loads(text)
    if isinstance(fields, dict) and "kind" in fields:
        return Failure(FailureKind(fields["kind"]), fields["reason"])
    return Answer(**fields)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
