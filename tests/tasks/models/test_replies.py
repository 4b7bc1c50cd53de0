"""Reading replies: what is whole, what may pass, and how long to wait."""

import json
from datetime import UTC, datetime

import pytest

from personamem.tasks.models.replies import Failure, check_reply, failure_of_status, seconds_to_wait
from personamem.tasks.models.usage import Usage

NOON = datetime(2025, 3, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("attempt", "after", "seconds"),
    [
        (1, None, 1.0),
        (4, None, 8.0),
        (20, None, 60.0),
        (1, "7", 7.0),
        (3, "0.5", 0.5),
        (1, "-3", 0.0),
        (1, "Sat, 01 Mar 2025 12:01:30 GMT", 90.0),
        (1, "Sat, 01 Mar 2025 11:00:00 GMT", 0.0),
        (2, "soon", 2.0),
    ],
)
def test_pauses(attempt: int, after: str | None, seconds: float) -> None:
    assert seconds_to_wait(attempt, after, NOON) == seconds


def test_statuses_that_may_pass() -> None:
    passing = [s for s in (400, 401, 403, 404, 408, 422, 429, 500, 529) if _passes(s)]
    assert passing == [408, 429, 500, 529]


def _passes(status: int) -> bool:
    return failure_of_status(status, "", None).passing


def test_choices_are_put_in_order_and_must_be_complete() -> None:
    choices = [{"index": i, "text": f"t{i}"} for i in (1, 2, 0)]
    reply = check_reply(json.dumps({"choices": choices}), 3, generate=True)
    assert isinstance(reply, dict)
    assert [choice["text"] for choice in reply["choices"]] == ["t0", "t1", "t2"]
    for wrong in ([choices[0], choices[0], choices[2]], choices[:2]):
        assert isinstance(check_reply(json.dumps({"choices": wrong}), 3, generate=True), Failure)
    unnumbered = check_reply(json.dumps({"choices": [{"text": "x"}]}), 1, generate=True)
    assert isinstance(unnumbered, dict)
    assert unnumbered["choices"][0]["index"] == 0


def test_usage_without_numbers_is_said_to_be_unknown() -> None:
    usage = Usage()
    usage.add({"choices": []})
    assert usage.describe() == "1 replies; the server reports no token counts"
    usage.add({"usage": {"prompt_tokens": 1000}})
    assert "does not report cached ones" in usage.describe()
    usage.add({"usage": {"prompt_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 500}}})
    assert usage.describe() == "prompt tokens 2,000, of them cached 500 (25.0 %)"
