"""The transport: one attempt at one request, with the official client.

An attempt ends in an outcome, in a fault that may pass, or in a ServerError that will not. Repeats,
pauses and limits are not here (see ``pacing`` and ``asking``), so the client's own are turned off.
"""

import asyncio
import json
import os
import re
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, cast

from personamem.dataset_builder.llm.errors import ServerError
from personamem.dataset_builder.llm.faults import (
    Fault,
    fault_of_connection,
    fault_of_status,
    is_refusal_of_prompt,
)
from personamem.dataset_builder.llm.records import Failure, FailureKind, Outcome, Request
from personamem.dataset_builder.llm.replies import read_reply
from personamem.loaders.formats.errors import InvalidInputError

CONNECT_SECONDS = 10.0
MOST_CONNECTIONS = 1000
"""What the client's pool holds."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server with OpenAI's protocol of chats, and how to deal with it.

    Args:
        base_url: what stands before ``/chat/completions``, mostly ending in ``/v1``.
        api_key: None for the one in the environment variable OPENAI_API_KEY, if there is one.
        concurrency: requests at a time.
        timeout: seconds for one attempt as a whole. A slow answer that comes later is paid for in
            vain, so rather too long.
        attempts: how many faults of a request make a failure. Faults that say nothing about the
            request (429, a refused connection, an outage) do not count.
        patience: seconds for which a server may fail without one success in between.
        max_bytes: of one answer's body.
    """

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    concurrency: int = 16
    timeout: float = 300.0
    attempts: int = 10
    patience: float = 600.0
    max_bytes: int = 2**20

    def __post_init__(self) -> None:
        """Refuse what cannot work, without showing the key."""
        if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s@?#]*)?", self.base_url):
            # The address may hold a password.
            shown = re.sub(r"//.*@", "//***@", self.base_url)
            raise InvalidInputError(
                f"base_url {shown!r} is not an address. Accepted: http:// or https://, a host, and "
                "a path, like http://localhost:8000/v1; a key goes into OPENAI_API_KEY."
            )
        for name in ("concurrency", "timeout", "attempts", "patience", "max_bytes"):
            if not getattr(self, name) > 0:
                raise InvalidInputError(f"{name} is {getattr(self, name)}. Accepted: above 0.")
        if self.concurrency > MOST_CONNECTIONS:
            raise InvalidInputError(
                f"concurrency is {self.concurrency}. Accepted: 1 to {MOST_CONNECTIONS}."
            )
        if not re.fullmatch(r"[!-~]*", self.read_key()):
            raise InvalidInputError(
                "The API key holds spaces or letters that no header can carry. Accepted: the key "
                "as the provider shows it, in OPENAI_API_KEY."
            )

    def read_key(self) -> str:
        """Return the key; servers on one's own machine mostly want none, and get an empty one."""
        key = os.environ.get("OPENAI_API_KEY", "") if self.api_key is None else self.api_key
        return key.strip()


class Client:
    """A connection pool to a server; an asynchronous context manager.

    Raises:
        InvalidInputError: the package ``openai`` is not installed.
    """

    def __init__(self, server: Server) -> None:
        try:
            # The second and third are what the first is made of; their errors come through.
            import anyio
            import httpx2
            import openai
        except ImportError as error:
            raise InvalidInputError(
                "Asking a server needs the package openai: pip install 'personamem[api]'."
            ) from error
        self._status_error = openai.APIStatusError
        self._timeout_errors = (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException)
        self._connection_errors = (
            *(openai.APIConnectionError, httpx2.RequestError),
            *(anyio.EndOfStream, OSError),
        )
        self._server = server
        self._key = server.read_key()
        self._has_answered = False
        # Schemas that the server refuses; others it may take.
        self._refused_schemas: set[tuple[str, str]] = set()
        self._client = openai.AsyncOpenAI(
            base_url=server.base_url,
            api_key=self._key or "none",
            max_retries=0,
            timeout=openai.Timeout(server.timeout, connect=min(CONNECT_SECONDS, server.timeout)),
        )

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
        await self._client.close()

    async def send(self, request: Request) -> Outcome | Fault:
        """Make one attempt.

        Raises:
            ServerError: the server refuses the request for a reason that will not pass.
        """
        form = (request.model, json.dumps(request.schema, sort_keys=True))
        if request.schema is None or form in self._refused_schemas:
            return self._conclude(await self._attempt(request, None), request)
        reply = await self._attempt(request, request.schema)
        if isinstance(reply, Fault) and reply.status in (400, 422):
            # Which part it dislikes is said in as many ways as there are servers: try without.
            plain = await self._attempt(request, None)
            if not isinstance(plain, Fault):
                self._refused_schemas.add(form)
            reply = plain
        return self._conclude(reply, request)

    def _conclude(self, reply: Outcome | Fault, request: Request) -> Outcome | Fault:
        if not isinstance(reply, Fault):
            self._has_answered = True
            return reply
        if is_refusal_of_prompt(reply):
            return Failure(FailureKind.REFUSED, reply.what)
        if not reply.passes or (reply.until_first_answer and not self._has_answered):
            raise ServerError(f"{self._server.base_url}, model {request.model!r}: {reply.what}.")
        return reply

    async def _attempt(self, request: Request, schema: Any) -> Outcome | Fault:
        try:
            async with asyncio.timeout(self._server.timeout):
                return await self._receive(request, schema)
        except self._status_error as error:
            text = self._hide_key(error.response.content).decode("utf-8", "replace")
            return fault_of_status(error.status_code, text, error.response.headers)
        except self._timeout_errors as error:
            fault = fault_of_connection(error)
            what = f"no answer within {self._server.timeout:g} s"
            return fault if fault.is_away else Fault(what, may_be_paid=True)
        except self._connection_errors as error:
            return fault_of_connection(error)

    async def _receive(self, request: Request, schema: Any) -> Outcome | Fault:
        limit = self._server.max_bytes
        call = self._client.chat.completions.with_streaming_response.create(
            model=request.model,
            messages=cast(Any, request.messages),
            extra_body=_make_fields(request, schema),
        )
        async with call as response:
            body = bytearray()
            async for part in response.iter_bytes():
                body += part
                if len(body) > limit:
                    reason = f"an answer of more than {limit:,} bytes"
                    return Failure(FailureKind.TOO_LONG, reason)
            kind = response.headers.get("content-type", "")
        reply = read_reply(bytes(body), kind)
        # Hidden before it is shortened, which may leave a part of it.
        return read_reply(self._hide_key(body), kind) if isinstance(reply, Fault) else reply

    def _hide_key(self, body: bytes | bytearray) -> bytes:
        return bytes(body).replace(self._key.encode(), b"***") if self._key else bytes(body)


def _make_fields(request: Request, schema: Any) -> dict[str, Any]:
    fields = dict(request.parameters)
    if schema is not None:
        form = {"name": "answer", "strict": True, "schema": schema}
        fields["response_format"] = {"type": "json_schema", "json_schema": form}
    return fields
