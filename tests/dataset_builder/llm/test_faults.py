"""What is read from the headers and bodies of failed attempts, and when the next one is due."""

from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from personamem.dataset_builder.llm.faults import (
    LONGEST_PAUSE,
    Fault,
    fault_of_status,
    is_refusal_of_prompt,
    read_retry_after,
    seconds_to_wait,
)
from personamem.dataset_builder.llm.records import Answer
from personamem.dataset_builder.llm.replies import read_reply

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
    fault = fault_of_status(status, "busy", {"retry-after": "2"}, NOW)
    assert (fault.passes, fault.counts, fault.retry_after) == (True, status != 429, 2.0)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_will_not_pass(status: int) -> None:
    assert not fault_of_status(status, "no", {}).passes


def test_messages_are_short_and_plain() -> None:
    fault = fault_of_status(500, "<html>\x1b[31m\n\ud800" + "x" * 10_000, {})
    assert fault.what.isascii()
    assert "\x1b" not in fault.what
    assert len(fault.what) < 500


@pytest.mark.parametrize(
    ("status", "body", "is_refusal"),
    [
        (400, '{"error": {"code": "context_length_exceeded"}}', True),
        (400, '{"error": {"code": "content_filter"}}', True),
        (400, '{"message": "exceeds the maximum context length"}', True),
        (413, "too large", True),
        (400, '{"error": {"code": "unknown_parameter"}}', False),
        (400, '{"error": "bad"}', False),
        (500, "context length", False),
    ],
)
def test_refusals_of_one_prompt(status: int, body: str, is_refusal: bool) -> None:
    assert is_refusal_of_prompt(fault_of_status(status, body, {})) is is_refusal


ANSWER = b'{"choices": [{"message": {"content": "a\\u0000\\ud800"}, "finish_reason": "stop"}]'


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (ANSWER + b"}", Answer("a\x00\ud800", "stop", None, None, None, None)),
        (
            ANSWER + b', "usage": {"prompt_tokens": -1, "completion_tokens": true}, "model": 3}',
            Answer("a\x00\ud800", "stop", None, None, None, None),
        ),
        (
            b'{"choices": [{"message": {"content": null, "refusal": "No."}}]}',
            Answer("No.", "refusal", None, None, None, None),
        ),
        (ANSWER, "not whole JSON"),
        (b"", "not whole JSON"),
        (b"\xff\xfe", "not whole JSON"),
        (b"[" * 100_000, "not whole JSON"),
        (b"[1]", "without choices"),
        (b'{"choices": []}', "without choices"),
        (b'{"choices": [null]}', "without choices"),
        (b'{"choices": [{"message": null}]}', "without choices"),
        (b'{"error": {"message": "asleep"}}', "without choices"),
        (b'{"choices": [{"message": {"content": [1]}}]}', "whose content is no text"),
    ],
)
def test_bodies(body: bytes, expected: Any) -> None:
    reply = read_reply(body)
    if isinstance(expected, str):
        assert isinstance(reply, Fault)
        assert expected in reply.what
        assert (reply.passes, reply.may_be_paid) == (True, True)
    else:
        assert reply == expected
