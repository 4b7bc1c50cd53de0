"""What went wrong with one attempt, and what that says about the next one."""

import json
import math
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

PASSING_STATUS = frozenset({408, 409, 425, 429})
"""Beside those from 500 on."""

PROMPT_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "context_length_exceeded",
        "string_above_max_length",
    }
)
"""Error codes of status 400 that speak of one prompt, not of the way in which all are sent."""

NO_MONEY_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Error codes of status 429 that no waiting helps against."""

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
_SHOWN = 300

_ADVICE = {
    400: "the server refuses the request; check model and parameters",
    401: "the server does not accept the API key; set OPENAI_API_KEY",
    402: "the server wants money first",
    403: "the API key may not use this model or server",
    404: "no such model or address; base_url mostly ends in /v1",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """An attempt without an outcome. ``what`` may be shown: it holds no key.

    ``passes``: another attempt may succeed. ``counts``: it may be the request's own fault, so it
    uses up an attempt. ``is_away``: nobody listens. ``until_first_answer``: it is rather a wrong
    address, unless the server has answered before. ``may_be_paid``: the server may have answered.
    ``retry_after``: seconds for which the server wants to be left alone.
    """

    what: str
    status: int | None = None
    code: str | None = None
    passes: bool = True
    counts: bool = True
    is_away: bool = False
    until_first_answer: bool = False
    may_be_paid: bool = False
    retry_after: float = 0.0


def fault_of_status(
    status: int, text: str, headers: Mapping[str, str], now: datetime | None = None
) -> Fault:
    """Return the fault of a reply whose status is not 200."""
    code = _read_code(text)
    passes = status in PASSING_STATUS or status >= 500
    if status == 429 and code in NO_MONEY_CODES:
        passes = False
    advice = "" if passes else f" ({_ADVICE.get(status, 'the server refuses the request')})"
    return Fault(
        what=f"status {status}{advice}, body {shorten(text)}",
        status=status,
        code=code,
        passes=passes,
        counts=status != 429,
        retry_after=read_retry_after(headers, now),
    )


def fault_of_body(problem: str, body: str, is_page: bool = False) -> Fault:
    """Return the fault of a reply with status 200 that holds no answer."""
    hint = "; base_url mostly ends in /v1" if is_page else ""
    what = f"status 200, but a body {problem}: {shorten(body)}{hint}"
    return Fault(what, status=200, until_first_answer=is_page, may_be_paid=True)


def fault_of_connection(error: BaseException) -> Fault:
    """Return the fault of an attempt without a whole reply."""
    causes = list(_causes(error))
    names = {type(cause).__name__ for cause in causes}
    last = causes[-1]
    what = f"no connection ({type(last).__name__}: {shorten(str(last))})"
    if any(isinstance(cause, socket.gaierror | ssl.SSLError) for cause in causes):
        return Fault(what, counts=False, is_away=True, until_first_answer=True)
    if names & {"ConnectError", "ConnectTimeout"}:
        return Fault(what, counts=False, is_away=True)
    return Fault(
        f"the connection ended ({type(last).__name__}: {shorten(str(last))})", may_be_paid=True
    )


def is_refusal_of_prompt(fault: Fault) -> bool:
    """Return whether a server refuses this one prompt: too long for the model, or filtered."""
    if fault.status == 413 or (fault.status == 400 and fault.code in PROMPT_CODES):
        return True
    # Servers that run open models say it in words only.
    return fault.status == 400 and "context length" in fault.what.lower()


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float:
    """Return the seconds of Retry-After, which is a number or a date; 0 where there is none."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return 0.0
    moment = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def seconds_to_wait(attempt: int, retry_after: float, random: Random) -> float:
    """Return the pause after an attempt (the first is 1): doubled each time, with jitter.

    What the server asks for is the least; the jitter comes on top, lest all come back at once.
    """
    pause = min(FIRST_PAUSE * 2.0 ** max(0, attempt - 1), LONGEST_PAUSE)
    if retry_after:
        return retry_after + random.uniform(0, min(pause, 0.1 * retry_after))
    return random.uniform(pause / 2, pause)


def shorten(text: str) -> str:
    """Return a text as it can stand in a message: one line, ASCII, quoted."""
    text = " ".join(text[: 4 * _SHOWN].split())
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _read_code(text: str) -> str | None:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    error = body.get("error", body) if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else None


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
