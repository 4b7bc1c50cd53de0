"""What is read from the headers and bodies of failed attempts, and when the next one is due."""

from datetime import UTC, datetime
from random import Random
from socket import gaierror
from ssl import SSLError

import pytest
from httpx2 import ConnectError

from personamem.loaders.formats.transport import (
    LONGEST_PAUSE,
    error_of_exception,
    error_of_status,
    hide_secrets,
    list_secrets,
    read_retry_after,
    seconds_to_wait,
)

NOW = datetime(2025, 1, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-7"}, 0.0),
        ({"retry-after": "inf"}, 0.0),
        ({"retry-after": "soon"}, 0.0),
        ({"retry-after": "Wed, 01 Jan 2025 12:00:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 01 Jan 2025 11:00:30 GMT"}, 0.0),
        ({"retry-after": "7", "retry-after-ms": "250"}, 0.25),
        ({"retry-after": "Wed, 01 Jan 99999999999999999999 11:00:30 GMT"}, 0.0),
    ],
)
def test_retry_after(headers: dict[str, str], seconds: float) -> None:
    assert read_retry_after(headers, NOW) == seconds


def test_pauses_double_with_jitter_and_never_undercut_the_server() -> None:
    random = Random(1)
    for attempt, most in ((0, 0.5), (1, 0.5), (2, 1.0), (5, 8.0), (50, LONGEST_PAUSE)):
        drawn = [seconds_to_wait(attempt, 0.0, random) for _ in range(200)]
        assert most / 2 <= min(drawn) < 0.6 * most
        assert 0.9 * most < max(drawn) <= most
    asked = [seconds_to_wait(9, 5.0, random) for _ in range(200)]
    assert 5.0 <= min(asked) < max(asked) <= 5.5


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_what_may_pass(status: int) -> None:
    error = error_of_status(status, "busy", {"retry-after": "2"}, NOW)
    assert (error.may_pass, error.counts, error.retry_after) == (True, status != 429, 2.0)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_will_not_pass(status: int) -> None:
    assert not error_of_status(status, "no", {}).may_pass


def test_messages_are_short_and_plain() -> None:
    error = error_of_status(500, "<html>\x1b[31m\n\ud800" + "x" * 10_000, {})
    assert str(error).isascii()
    assert "\x1b" not in str(error)
    assert len(str(error)) < 500


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectError("refused"), (True, False, False)),
        (gaierror("unknown"), (True, True, False)),
        (SSLError("expired"), (True, True, False)),
        (OSError("reset"), (False, False, True)),
    ],
)
def test_errors_of_connections(error: Exception, expected: tuple[bool, ...]) -> None:
    found = error_of_exception(error)
    assert (found.is_unreachable, found.is_address_suspect, found.may_be_charged) == expected
    assert str(error) in str(found)


def test_keys_are_hidden_unless_they_are_short() -> None:
    headers = {"Authorization": "Bearer sk-12345678", "X-Api-Key": "other-key", "User-Agent": "me"}
    secrets = list_secrets(headers)
    assert secrets == ("sk-12345678", "other-key")
    assert hide_secrets("a sk-12345678 b other-key c", secrets) == "a *** b *** c"
    assert list_secrets({"authorization": "Bearer EMPTY"}) == ()
