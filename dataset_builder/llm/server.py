"""A server with OpenAI's chat protocol, and one attempt at one request.

An attempt ends in an outcome, in a ``TransportError`` that may pass, or in a ``ServerError`` that
does not. Repeats, pauses and limits are in ``pacing`` and ``asking``.
"""

import json
import os
import re
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from personamem.dataset_builder.llm.errors import ServerError
from personamem.dataset_builder.llm.records import Failure, FailureKind, Outcome, Request
from personamem.dataset_builder.llm.replies import read_answer
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.http_client import HttpClient
from personamem.loaders.formats.transport import (
    ATTEMPTS,
    FIRST_PATIENCE,
    PATIENCE,
    OversizedReplyError,
    TransportError,
    hide_password,
)

MOST_CONNECTIONS = 1000

PROMPT_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "context_length_exceeded",
        "string_above_max_length",
    }
)
"""Error codes of status 400 that concern one prompt, not the way in which all are sent."""

_ACCOUNT_HEADERS = {
    "OPENAI_ORG_ID": "OpenAI-Organization",
    "OPENAI_PROJECT_ID": "OpenAI-Project",
}
"""Headers by the environment variables of the official client, for keys of several accounts."""


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server, and limits for talking to it.

    Args:
        base_url: the address before ``/chat/completions``, mostly ending in ``/v1``.
        api_key: None for the one in the environment variable OPENAI_API_KEY, if it is set.
        concurrency: requests at a time.
        timeout: seconds for one attempt as a whole. Answers that come later may be charged and are
            lost, so choose it rather too long.
        attempts: errors of one request that make it fail. Errors that do not concern the request
            (status 429, a refused connection, an outage) do not count.
        patience: seconds for which a server may fail without one success, once it has replied.
        first_patience: seconds to wait for the first reply of the server.
        max_bytes: the most bytes of one answer's body.
    """

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 16
    timeout: float = 300.0
    attempts: int = ATTEMPTS
    patience: float = PATIENCE
    first_patience: float = FIRST_PATIENCE
    max_bytes: int = 2**20

    def __post_init__(self) -> None:
        """Refuse what cannot work, without showing the key."""
        if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s@?#]*)?", self.base_url):
            raise InvalidInputError(
                f"base_url {hide_password(self.base_url)!r} is not an address. Accepted: http:// "
                "or https://, a host, and a path, like http://localhost:8000/v1; a key goes into "
                "OPENAI_API_KEY."
            )
        for name in (
            *("concurrency", "timeout", "attempts", "patience", "first_patience"),
            "max_bytes",
        ):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} is {getattr(self, name)}. Accepted: above 0.")
        if self.concurrency > MOST_CONNECTIONS:
            raise InvalidInputError(
                f"concurrency is {self.concurrency}. Accepted: 1 to {MOST_CONNECTIONS}."
            )
        if not re.fullmatch(r"[!-~]*", self.read_key()):
            raise InvalidInputError(
                "The API key holds spaces or characters that no header can carry. Accepted: the "
                "key as the provider shows it, in OPENAI_API_KEY."
            )

    def read_key(self) -> str:
        """Return the key, or "" if there is none, as for most servers on one's own machine."""
        key = os.environ.get("OPENAI_API_KEY", "") if self.api_key is None else self.api_key
        return key.strip()


class Client:
    """Connections to a server; an asynchronous context manager."""

    def __init__(self, server: Server) -> None:
        key = server.read_key()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        for variable, name in _ACCOUNT_HEADERS.items():
            if value := os.environ.get(variable, "").strip():
                headers[name] = value
        self._server = server
        self._http = HttpClient(
            f"{server.base_url.rstrip('/')}/chat/completions",
            headers,
            timeout=server.timeout,
            connections=server.concurrency,
        )
        # Schemas that the server refuses; it may accept others.
        self._refused_schemas: set[tuple[str, str]] = set()

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""
        await self._http.__aexit__(kind, error, trace)

    async def send(self, request: Request) -> Outcome:
        """Make one attempt.

        Raises:
            TransportError: the attempt failed, and another may succeed.
            ServerError: the server refuses the request for a reason that will not pass.
        """
        try:
            outcome = await self._send(request)
        except OversizedReplyError as error:
            return Failure(FailureKind.TOO_LONG, str(error))
        except TransportError as error:
            if is_refusal_of_prompt(error):
                return Failure(FailureKind.REFUSED, str(error))
            if self._http.is_final(error):
                hint = ""
                if error.status == 404 or error.is_address_suspect:
                    hint = " Check base_url, which mostly ends in /v1."
                raise ServerError(
                    f"{self._server.base_url}, model {request.model!r}: {error}.{hint}"
                ) from error
            raise
        self._http.has_answered = True
        return outcome

    async def _send(self, request: Request) -> Outcome:
        form = (request.model, json.dumps(request.schema, sort_keys=True))
        if request.schema is None or form in self._refused_schemas:
            return await self._attempt(request, None)
        try:
            return await self._attempt(request, request.schema)
        except TransportError as error:
            if error.status not in (400, 422):
                raise
        # Servers name the part that they refuse in as many ways as there are servers: try without.
        outcome = await self._attempt(request, None)
        self._refused_schemas.add(form)
        return outcome

    async def _attempt(self, request: Request, schema: Any) -> Outcome:
        body = encode_request(request, schema)
        return read_answer(await self._http.post(body, self._server.max_bytes))


def encode_request(request: Request, schema: Any) -> bytes:
    """Return the body of a request, with a schema or without."""
    fields = {
        "model": request.model,
        "messages": list(request.messages),
        **request.parameters,
    }
    if schema is not None:
        form = {"name": "answer", "strict": True, "schema": schema}
        fields["response_format"] = {"type": "json_schema", "json_schema": form}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def is_refusal_of_prompt(error: TransportError) -> bool:
    """Return whether a server refuses this one prompt: too long for the model, or filtered."""
    if error.status == 413 or (error.status == 400 and error.code in PROMPT_CODES):
        return True
    # Servers that run open models say so in words only.
    return error.status == 400 and "context length" in str(error).lower()
