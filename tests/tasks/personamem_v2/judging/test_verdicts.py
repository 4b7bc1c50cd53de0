"""Verdicts as models write them: read tolerantly, checked, never guessed."""

import pytest

from personamem.tasks.personamem_v2.judging.verdicts import read_verdict


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"score": 0.5}', 0.5),
        ('It fits.\n\n```json\n{"score": 1}\n```', 1.0),
        ('{"reason": "well", "score": "0.25"}', 0.25),
        ('First {"score": 0.1}, on reflection {"score": 0.9}', 0.9),
        ('<think>{"score": 1}</think>{"score": 0}', 0.0),
        (r"So \boxed{0.75}", 0.75),
        ("**Score:** 0.4", 0.4),
        ("Score: 0.8.", 0.8),
        ("score = .5", 0.5),
        ("1", 1.0),
        (" 0.0 ", 0.0),
        ("", None),
        ("I would say it is good.", None),
        ("Score: 7/10", None),
        ("Score: 70%", None),
        ("score: 0.7 out of 5", None),
        ('{"score": 1.5}', None),
        ('{"score": -0.1}', None),
        ('{"score": 85}', None),
        ('{"score": true}', None),
        ('{"score": "high"}', None),
        ('{"score": "nan"}', None),
        (r"\boxed{7}", None),
        ("<think>it never ends", None),
        ("{" * 300 + "Score: 0.5", 0.5),
    ],
)
def test_a_verdict_is_a_number_from_0_to_1(text: str, score: float | None) -> None:
    assert read_verdict(text) == score
