"""JSON out of what models write."""

import time
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict

from personamem.dataset_builder.llm import UnreadableAnswerError, read_json


class Turn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    role: Literal["user", "assistant"]
    content: str


class Talk(BaseModel):
    model_config = ConfigDict(extra="forbid")
    turns: list[Turn]


TALK = Talk(turns=[Turn(role="user", content="Hi, {you}: [1,]")])
PLAIN = '{"turns": [{"role": "user", "content": "Hi, {you}: [1,]"}]}'


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}",
        f"Sure! Here is {{the}} talk [as asked]:\n\n{PLAIN}\n\nShall I go on? {{}}",
        PLAIN.replace("}]}", "},\n ] , }"),
        f"```json\n{PLAIN.replace('}]}', '},]}')}\n```",
        f'<think>{{"turns": []}} would be short.</think>{PLAIN}',
        f'<thinking>{{"turns": []}} would be short.</thinking>{PLAIN}',
        f"\ufeff {PLAIN}",
        f'{{"turns": 3}} was wrong, rather: {PLAIN}',
        f"{PLAIN} {PLAIN}",
    ],
)
def test_json_is_found(text: str) -> None:
    assert read_json(text, Talk) == TALK


def test_raw_line_breaks_in_strings_are_kept() -> None:
    found = read_json('{"turns": [{"role": "user", "content": "a\n\tb"}]}', Talk)
    assert found.turns[0].content == "a\n\tb"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it holds no JSON"),
        ("I cannot do that.", "it holds no JSON"),
        (f"<think>Perhaps {PLAIN}, or", "it ends within its reasoning"),
        (f"<thinking>Perhaps {PLAIN}, or", "it ends within its reasoning"),
        ('{"turns": [{"role": "user"', "it holds no JSON"),
        ('{"turns": NaN}', "it holds no JSON"),
        ("<!DOCTYPE html><html><body>No</body></html>", "it holds no JSON"),
        ("turns:\n  - role: user", "it holds no JSON"),
        ("{{ turns }}", "it holds no JSON"),
        ('{"turn": []}', "turns: Field required; turn: Extra inputs are not permitted"),
        ('{"turns": [{"role": "bot", "content": "a"}]}', "turns.0.role: Input should be"),
        ('{"turns": [1, 2, 3, 4, 5]}', "and 2 more"),
        ("[1]", "the whole: Input should be a valid dictionary"),
    ],
)
def test_what_is_missing_is_said(text: str, reason: str) -> None:
    with pytest.raises(UnreadableAnswerError) as caught:
        read_json(text, Talk)
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500_000,
        "{" * 500_000,
        '{"a' * 300_000,
        '{"a":' * 200_000,
        "[1," * 300_000,
        "," + " " * 500_000 + "{",
        '{"' + '\\"' * 400_000,
        "{\n" * 400_000 + '"',
        "\ud800" * 100_000 + "\x00{",
    ],
    ids=range(9),
)
def test_texts_that_are_made_to_stall_do_not(text: str) -> None:
    started = time.perf_counter()
    with pytest.raises(UnreadableAnswerError) as caught:
        read_json(text, Talk)
    assert time.perf_counter() - started < 5
    assert str(caught.value).isascii()
