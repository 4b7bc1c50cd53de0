"""One POST to a server of models, with bounds on everything that a server may send.

An attempt ends in a JSON value or in a ``TransportError``. Replies of any status are read up to a
number of bytes, packed or not; a redirect to another server is refused, since a prompt and a key
belong to the server that they were meant for.
"""

import asyncio
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Self

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.transport import (
    OversizedReplyError,
    TransportError,
    error_of_address,
    error_of_body,
    error_of_exception,
    error_of_status,
    hide_secrets,
    list_secrets,
    shorten,
)

CONNECT_SECONDS = 10.0
MOST_REDIRECTS = 5

MOST_ERROR_BYTES = 2**16
"""Bytes of the body of an error that are read; its message stands at the beginning."""

ERROR_SECONDS = 5.0
"""Seconds for which the body of an error is read."""

_LONGEST_INTEGER = 18
"""Digits. Python refuses to read integers of some thousand digits, with the whole text."""

_GZIP = 31
"""zlib's name for the format."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with status 200; keys that the server repeats are hidden in both fields.

    Args:
        value: the JSON value of the body.
        excerpt: how the body begins, for messages.
    """

    value: Any
    excerpt: str


class HttpClient:
    """A pool of connections to one address; an asynchronous context manager.

    Args:
        url: where requests are posted to.
        headers: of every request; the keys in them are hidden in whatever is returned or raised.
        timeout: seconds for an attempt as a whole.
        connections: the most at a time.
        verify: whether certificates are checked.

    ``has_answered`` is set by the caller after a usable answer: a reply that speaks for a wrong
    address is a passing error from then on.

    Raises:
        InvalidInputError: a header cannot be sent.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        timeout: float,
        connections: int,
        verify: bool = True,
    ) -> None:
        import anyio
        import httpx2

        self.has_answered = False
        self._is_closed = False
        self._url = httpx2.URL(url)
        self._headers = {
            **_check_headers(headers),
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        }
        self._secrets = list_secrets(headers)
        self._timeout = timeout
        self._address_error = httpx2.InvalidURL
        self._connect_timeout = httpx2.ConnectTimeout
        self._timeout_errors = (TimeoutError, httpx2.TimeoutException)
        self._connection_errors = (httpx2.RequestError, anyio.EndOfStream, OSError)
        connect = min(CONNECT_SECONDS, timeout)
        # A pool of httpx looks through all its connections twice a request: here each has its own.
        self._open_connection = partial(
            httpx2.AsyncClient,
            timeout=httpx2.Timeout(timeout, connect=connect, pool=None),
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
            verify=httpx2.create_ssl_context(verify=verify),
        )
        self._idle: list[httpx2.AsyncClient] = []
        self._places = asyncio.Semaphore(connections)

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections; those of requests under way close when these end."""
        self._is_closed = True
        while self._idle:
            await self._idle.pop().aclose()

    async def post(self, body: bytes, most_bytes: int) -> Reply:
        """Make one attempt and return the reply, whose body has up to ``most_bytes`` bytes.

        Raises:
            OversizedReplyError: the body is longer.
            TransportError: there is no reply, or none that can be used.
        """
        try:
            async with asyncio.timeout(self._timeout), self._places:
                return await self._exchange(body, most_bytes)
        except self._connect_timeout as error:
            raise error_of_exception(error) from error
        except self._timeout_errors as error:
            what = f"no answer within {self._timeout:g} s"
            raise TransportError(what, may_be_charged=True) from error
        except self._connection_errors as error:
            raise error_of_exception(error) from error

    def is_final(self, error: TransportError) -> bool:
        """Return whether no further attempt makes sense."""
        return not error.may_pass or (error.is_address_suspect and not self.has_answered)

    async def _exchange(self, body: bytes, most_bytes: int) -> Reply:
        # The latest first: it is the least likely to have been closed by the server.
        connection = self._idle.pop() if self._idle else self._open_connection()
        try:
            return await self._follow(connection, body, most_bytes)
        finally:
            if self._is_closed:
                await connection.aclose()
            else:
                self._idle.append(connection)

    async def _follow(self, connection: Any, body: bytes, most_bytes: int) -> Reply:
        url = self._url
        for _ in range(MOST_REDIRECTS + 1):
            request = connection.build_request("POST", url, content=body, headers=self._headers)
            response = await connection.send(request, stream=True)
            try:
                if not 300 <= response.status_code < 400:
                    return await self._read(response, most_bytes)
                url = self._find_target(response)
            finally:
                await response.aclose()
        raise TransportError(
            f"status {response.status_code}: the server redirects in a circle",
            status=response.status_code,
            may_pass=False,
        )

    def _find_target(self, response: Any) -> Any:
        """Return where a redirect leads, which has to be the same server."""
        location = response.headers.get("location", "")
        shown = shorten(hide_secrets(location, self._secrets))
        problem = f"leads to {shown}"
        try:
            target = self._url.join(location)
        except self._address_error:
            target = None
        if not location:
            problem = "names no address"
        elif target is not None and _find_origin(target) == _find_origin(self._url):
            # After the other statuses a client repeats the request without its body.
            if response.status_code in (307, 308):
                return target
        else:
            problem += ", which is another server: no prompt was sent there"
        raise TransportError(
            f"status {response.status_code}: a redirect that {problem}. If the target is right, "
            "change base_url",
            status=response.status_code,
            may_pass=False,
        )

    async def _read(self, response: Any, most_bytes: int) -> Reply:
        status, headers = response.status_code, response.headers
        if status >= 400:
            text = await self._read_error(response)
            raise error_of_status(status, hide_secrets(text, self._secrets), headers)
        if status != 200:
            raise error_of_address(f"status {status}, which comes without an answer", status)
        kind = headers.get("content-type", "").lower()
        if "event-stream" in kind:
            raise error_of_address("status 200, but the server streams events", status)
        encoding = headers.get("content-encoding", "identity").lower()
        if encoding not in ("identity", "gzip"):
            problem = f"status 200, but a body encoded as {shorten(encoding)}, not as gzip"
            raise error_of_address(problem, status)
        body = await _read_body(response, most_bytes + 1)
        if len(body) > most_bytes:
            raise OversizedReplyError(most_bytes)
        return self._parse(bytes(body), is_page="html" in kind)

    async def _read_error(self, response: Any) -> str:
        body = bytearray()
        try:
            async with asyncio.timeout(ERROR_SECONDS):
                await _read_body(response, MOST_ERROR_BYTES, body)
        except (TransportError, *self._timeout_errors, *self._connection_errors):
            pass  # The status is known, and so is whatever of the body has come.
        return body.decode("utf-8", "replace")

    def _parse(self, body: bytes, is_page: bool) -> Reply:
        # Hidden before it is cut, which may leave a part of a key.
        excerpt = hide_secrets(body.decode("utf-8", "replace"), self._secrets)[:2000]
        try:
            value = json.loads(body, parse_int=_parse_integer)
            if self._secrets and _may_repeat(body, self._secrets):
                value = _hide_in(value, self._secrets)
        except (ValueError, RecursionError):
            if is_page:
                problem = f"status 200, but a web page: {shorten(excerpt)}"
                raise error_of_address(problem, 200) from None
            raise error_of_body("that is not whole JSON", excerpt) from None
        return Reply(value, excerpt)


def _check_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers that can be sent; "Bearer" without a key is left out."""
    checked = {name: value.strip() for name, value in headers.items()}
    for name, value in checked.items():
        if not re.fullmatch(r"[ -~]*", value):
            raise InvalidInputError(
                f"The header {name} holds characters that cannot be sent. Accepted: ASCII on one "
                "line, such as a key as the provider shows it."
            )
    return {name: value for name, value in checked.items() if value.lower() != "bearer"}


async def _read_body(response: Any, most: int, body: bytearray | None = None) -> bytearray:
    """Return up to ``most`` unpacked bytes, which are added to ``body`` as they come."""
    body = bytearray() if body is None else body
    is_packed = response.headers.get("content-encoding", "").lower() == "gzip"
    unpacker = zlib.decompressobj(_GZIP) if is_packed else None
    async for part in response.aiter_raw():
        left = most - len(body)
        if unpacker is None:
            body += part[:left]
        else:
            try:
                body += unpacker.decompress(part, left)
            except zlib.error as error:
                raise error_of_body(f"that is not gzip ({error})", "") from error
        if len(body) >= most:
            break
    return body


def _find_origin(url: Any) -> tuple[str, str, int | None]:
    port = url.port or {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.host, port


def _parse_integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else float(digits)


def _may_repeat(body: bytes, secrets: tuple[str, ...]) -> bool:
    """Return whether a text may hold a secret, as it is or with characters escaped."""
    escapes = re.search(rb"\\(?:u00|/)", body)
    return escapes is not None or any(secret.encode() in body for secret in secrets)


def _hide_in(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return hide_secrets(value, secrets)
    if isinstance(value, list):
        return [_hide_in(part, secrets) for part in value]
    if isinstance(value, dict):
        return {name: _hide_in(part, secrets) for name, part in value.items()}
    return value
