"""What is read from the body of a chat server's reply."""

import json
from typing import Any

import pytest

from personamem.dataset_builder.llm.records import Answer
from personamem.dataset_builder.llm.replies import read_answer
from personamem.dataset_builder.llm.server import is_refusal_of_prompt
from personamem.loaders.formats.http_client import Reply
from personamem.loaders.formats.transport import TransportError, error_of_status


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
    assert is_refusal_of_prompt(error_of_status(status, body, {})) is is_refusal


CHOICE = {"message": {"content": "a\x00\ud800"}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"choices": [CHOICE]}, Answer("a\x00\ud800", "stop", None, None, None, None)),
        (
            {"choices": [CHOICE], "usage": {"prompt_tokens": -1}, "model": 3},
            Answer("a\x00\ud800", "stop", None, None, None, None),
        ),
        (
            {"choices": [CHOICE], "usage": {"prompt_tokens": 5, "prompt_cache_hit_tokens": 4}},
            Answer("a\x00\ud800", "stop", None, 5, None, 4),
        ),
        (
            {"choices": [{"message": {"content": None, "refusal": "No."}}]},
            Answer("No.", "refusal", None, None, None, None),
        ),
        ([1], "without choices"),
        ({"choices": []}, "without choices"),
        ({"choices": [None]}, "without choices"),
        ({"choices": [{"message": None}]}, "without choices"),
        ({"error": {"message": "asleep"}}, "without choices: '.*asleep"),
        ({"choices": [{"message": {"content": [1]}}]}, "whose content is not a text"),
    ],
)
def test_answers(value: Any, expected: Answer | str) -> None:
    reply = Reply(value, json.dumps(value))
    if isinstance(expected, Answer):
        assert read_answer(reply) == expected
        return
    with pytest.raises(TransportError, match=expected) as caught:
        read_answer(reply)
    assert (caught.value.may_pass, caught.value.may_be_charged) == (True, True)
