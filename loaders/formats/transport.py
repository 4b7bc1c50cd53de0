"""HTTP with servers of models: what went wrong with an attempt, and when to make the next one.

The builder, which has models write, and the evaluation, which has them answer, share this module:
one classification of errors, one rule for pauses. The retry loops themselves differ (one waits for
a server with thousands of requests, the other counts attempts) and belong to their callers.
"""

import json
import math
import re
import socket
import ssl
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

from personamem.loaders.formats.errors import PersonamemError

ATTEMPTS = 10
"""Attempts at one request, which take about two minutes with the pauses of ``seconds_to_wait``."""

PATIENCE = 600.0
"""Seconds for which a server is waited for that has replied before."""

FIRST_PATIENCE = 60.0
"""Seconds for which a server is waited for that has not replied once."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0

PASSING_STATUSES = frozenset({408, 409, 425, 429})
"""Statuses below 500 after which another attempt may succeed."""

NO_CREDIT_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Error codes of status 429 that stay until somebody pays."""

SHORTEST_SECRET = 8
"""Characters. Shorter keys ("EMPTY", "x") protect nothing, and are words that a text may hold."""

_SHOWN = 300

_ADVICE = {
    400: "the server refuses the request; check model and parameters",
    401: "the server does not accept the API key; set OPENAI_API_KEY",
    402: "the server requires payment",
    403: "the API key may not use this model or server",
    404: "no such model or address",
}


class TransportError(PersonamemError):
    """An attempt that brought no usable reply. Its message holds no key.

    Args:
        what: the message.
        status: of the reply, or None if there was none.
        code: the error code in the reply's body.
        may_pass: another attempt may succeed.
        counts: the request itself may be the cause, so the attempt counts against it.
        is_unreachable: there was no connection.
        is_address_suspect: the address is probably wrong, unless it has sent an answer before.
        may_be_charged: the server may have computed an answer.
        retry_after: seconds for which the server asks to be left alone.
    """

    def __init__(
        self,
        what: str,
        *,
        status: int | None = None,
        code: str | None = None,
        may_pass: bool = True,
        counts: bool = True,
        is_unreachable: bool = False,
        is_address_suspect: bool = False,
        may_be_charged: bool = False,
        retry_after: float = 0.0,
    ) -> None:
        super().__init__(what)
        self.status, self.code = status, code
        self.may_pass, self.counts = may_pass, counts
        self.is_unreachable, self.is_address_suspect = is_unreachable, is_address_suspect
        self.may_be_charged, self.retry_after = may_be_charged, retry_after


class OversizedReplyError(TransportError):
    """A reply with status 200 and more bytes than its reader accepts."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(
            f"an answer of more than {most_bytes:,} bytes",
            status=200,
            may_pass=False,
            may_be_charged=True,
        )


def error_of_status(
    status: int, text: str, headers: Mapping[str, str], now: datetime | None = None
) -> TransportError:
    """Return the error of a reply with a status from 400 on, from its body and headers."""
    code = _read_code(text)
    may_pass = status in PASSING_STATUSES or status >= 500
    if status == 429 and code in NO_CREDIT_CODES:
        may_pass = False
    advice = "" if may_pass else f" ({_ADVICE.get(status, 'the server refuses the request')})"
    return TransportError(
        f"status {status}{advice}, body {shorten(text)}",
        status=status,
        code=code,
        may_pass=may_pass,
        counts=status != 429,
        retry_after=read_retry_after(headers, now),
    )


def error_of_body(problem: str, text: str, may_pass: bool = True) -> TransportError:
    """Return the error of a reply with status 200 whose body cannot be used."""
    return TransportError(
        f"status 200, but a body {problem}: {shorten(text)}",
        status=200,
        may_pass=may_pass,
        may_be_charged=True,
    )


def error_of_address(problem: str, status: int) -> TransportError:
    """Return the error of a reply that no server with a chat protocol sends."""
    return TransportError(
        problem,
        status=status,
        is_address_suspect=True,
        may_be_charged=status == 200,
    )


def error_of_exception(error: BaseException) -> TransportError:
    """Return the error of an attempt that ended without a whole reply."""
    causes = list(_list_causes(error))
    names = {type(cause).__name__ for cause in causes}
    last = causes[-1]
    shown = f"({type(last).__name__}: {shorten(str(last))})"
    is_suspect = any(isinstance(cause, socket.gaierror | ssl.SSLError) for cause in causes)
    if is_suspect or names & {"ConnectError", "ConnectTimeout", "ProxyError"}:
        return TransportError(
            f"no connection {shown}",
            counts=False,
            is_unreachable=True,
            is_address_suspect=is_suspect,
        )
    return TransportError(f"the connection ended {shown}", may_be_charged=True)


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """Return the seconds of ``retry-after-ms`` or ``retry-after``, or 0.0 if there are none.

    ``retry-after`` is a number of seconds or an HTTP date (RFC 9110, section 10.2.3). The names of
    ``headers`` are in lower case, or compare regardless of case.
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError):
        return 0.0
    moment = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def seconds_to_wait(attempt: int, retry_after: float, random: Random) -> float:
    """Return the pause after an attempt (the first is 1): doubled each time, with jitter.

    ``retry_after`` is the least; the jitter comes on top, so that not all requests return at once.
    """
    pause = min(FIRST_PAUSE * 2.0 ** min(max(0, attempt - 1), 60), LONGEST_PAUSE)
    if retry_after:
        return retry_after + random.uniform(0, min(pause, 0.1 * retry_after))
    return random.uniform(pause / 2, pause)


def shorten(text: str) -> str:
    """Return a text as it can stand in a message: one line of ASCII, quoted."""
    text = " ".join(text[: 4 * _SHOWN].split())
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def list_secrets(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the keys in the headers of a request."""
    names = ("authorization", "api-key", "x-api-key")
    values = [value for name, value in headers.items() if name.lower() in names]
    keys = (re.sub(r"^\s*(bearer|basic)\s+", "", value, flags=re.I).strip() for value in values)
    return tuple(key for key in keys if len(key) >= SHORTEST_SECRET)


def hide_secrets(text: str, secrets: Collection[str]) -> str:
    """Return a text with *** in place of each secret."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def hide_password(url: str) -> str:
    """Return an address without the user and password that it may hold."""
    return re.sub(r"//.*@", "//***@", url)


def _read_code(text: str) -> str | None:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    error = body.get("error", body) if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else None


def _list_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
