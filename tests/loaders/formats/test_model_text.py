"""Reasoning and JSON in what models write."""

import time
from typing import Any

import pytest

from personamem.loaders.formats.model_text import find_json, strip_reasoning


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("  (b) \n", "(b)"),
        ("<think>(a)?</think> (b)", "(b)"),
        ("<thinking>(a)?</thinking>\n(b)", "(b)"),
        ("(a)?</think>(b)", "(b)"),
        ("<think>a</think>b</think>c", "c"),
        (" <think>(a), or (b)?", None),
        (" <thinking>(a), or (b)?", None),
        ("I <think> so: (b)", "I <think> so: (b)"),
        ("<think>no more</think>", ""),
    ],
)
def test_reasoning_is_stripped(text: str, reply: str | None) -> None:
    assert strip_reasoning(text) == reply


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("none", []),
        ('a {"b": [1]} c [2] d', [{"b": [1]}, [2]]),
        ('{"a": 1,} [2, ]', [{"a": 1}, [2]]),
        ('["a\nb"]', [["a\nb"]]),
        ("['it\\'s', 'b',]", [["it's", "b"]]),
        ("['\\d']", [["\\d"]]),
        ('{"a": [1, 2', []),
        ('[NaN] {"a": Infinity}', []),
        ("[__import__('os')]", []),
        ("{'a': 1}", []),
    ],
)
def test_json_is_found(text: str, values: list[Any]) -> None:
    found = list(find_json(text))
    assert [one.value for one in found] == values
    assert all(text[one.start] in "{[" and text[one.end - 1] in "}]" for one in found)


def test_values_inside_are_yielded_where_they_are_asked_for() -> None:
    text = '{"a": ["b", ], "c": [["d"]]}'
    assert [found.value for found in find_json(text, "[", inside=True)] == [["b"], [["d"]], ["d"]]
    outer = next(find_json(text))
    assert (outer.start, outer.end) == (0, len(text))


def test_too_many_brackets_are_an_error() -> None:
    text = "[" * 5 + "[1]"
    assert [found.value for found in find_json(text, most_candidates=6)] == [[1]]
    with pytest.raises(ValueError, match="more than 4 brackets"):
        list(find_json(text, most_candidates=4))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 500_000,
        "</think" * 100_000,
        "[" + "1+" * 400_000 + "1]",
        "[" + "1+" * 4_000 + "1]",
        "[" + "-" * 9_000 + "1]",
        "[" * 500_000,
        '{"a":' * 200_000,
        "," + " " * 500_000 + "{",
    ],
    ids=range(8),
)
def test_texts_that_are_made_to_stall_do_not(text: str) -> None:
    started = time.perf_counter()
    strip_reasoning(text)
    try:
        assert list(find_json(text)) == []
    except ValueError:
        assert text.count("[") + text.count("{") > 64
    assert time.perf_counter() - started < 5
