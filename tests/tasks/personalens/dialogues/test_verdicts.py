"""Verdicts as judges write them: each is read as what it says, or not at all."""

import pytest

from personamem.tasks.personalens.dialogues.judging import read_verdict
from personamem.tasks.personalens.dialogues.verdicts import (
    LONGEST_REPLY,
    read_score,
    read_truth,
    read_turn_scores,
)

LABELLED = """\
{label}: {value}
{label}:{value}
{label} : {value}
{label}={value}
{label} = {value}
{label} - {value}
{label} \u2013 {value}
{label} -> {value}
{label} \u2192 {value}
{label}: {value}.
{label}: {value}, because of what was said.
{label}: {value} - it was so.
{label}: {value} (it was so)
{label}: {value}; it was so
**{label}:** {value}
**{label}**: {value}
**{label}: {value}**
**{label}:** **{value}**
*{label}:* _{value}_
__{label}__: `{value}`
### {label}: {value}
> {label}: {value}
- {label}: {value}
1. {label}: {value}
{label}: [{value}]
[{label}: {value}]
{label}: ({value})
{label}: "{value}"
{label}: '{value}'
{label}: {{{value}}}
| {label} | {value} |
{label} is {value}.
The {label} is {value}.
My {label}: {value}
Final {label}: {value}
<response>{label}: {value}</response>
<response>${label}: {value}$Reasons.$</response>
{{"{label}": {value}, "explanation": "it was so"}}
<think>First I took it for {label}: {other}.</think>{label}: {value}
Here is what I think.${label}: {value}
{label}:${value}
{label}:$$**{value}**
**{label}**${value}
Reasons: all well.$${label}: {value}
{label}: {value}$$1. Fluent.$2. Polite.
{label}: {value}$Again, {label}: {value}
{label} {value}
{value}
{value}.
**{value}**
[{value}]
{value}$Because it was so.
<think>hm</think>${value}""".splitlines()
"""Ways to write a verdict; "$" stands for a line break."""


FORMS = [form.replace("$", "\n") for form in LABELLED]


@pytest.mark.parametrize(
    ("dimension", "label", "written", "other", "value"),
    [
        ("task_completion", "VERDICT", "True", "False", 1),
        ("task_completion", "verdict", "FALSE", "true", 0),
        ("personalization", "Personalization Score", "4", "1", 4),
        ("personalization", "personalization score", "2", "3", 2),
        ("naturalness_user", "NATURALNESS SCORE", "5", "1", 5),
        ("naturalness_assistant", "Naturalness", "1", "2", 1),
        ("coherence_user", "coherence_score", "3", "1", 3),
        ("coherence_assistant", "Score", "4", "5", 4),
    ],
)
def test_a_verdict_is_read_however_it_is_written(
    dimension: str, label: str, written: str, other: str, value: int
) -> None:
    texts = [form.format(label=label, value=written, other=other) for form in FORMS]
    found = {text: read_verdict(text, dimension).value for text in texts}
    assert {text: read for text, read in found.items() if read != value} == {}


SCORES = {
    "Personalization Score (1-4): 3": 3,
    "Personalization Score [1 to 4]: 3": 3,
    "Personalization Score (out of 4): 3": 3,
    "Personalisation score: 3": 3,
    "Personalization Score: 3/4": 3,
    "Personalization Score: 3 / 4": 3,
    "Personalization Score: 3 out of 4": 3,
    "Personalization Score: 3 of 4": 3,
    "Personalization Score: 3.0": 3,
    "Personalization Score: 3.0/4.0": None,
    "Personalization Score: three": 3,
    "Personalization Score: Three (Strong)": 3,
    "Personalization Score: Level 3": 3,
    "Personalization Score for the assistant: 3": 3,
    "Personalization Score (assistant): 3": 3,
    "<personalization_score>3</personalization_score>": 3,
    "<score>3</score>": 3,
    "I give a score of 3 here.": 3,
    "Rating: 3": 3,
    "Grade = 3": 3,
    "Overall score: 3": 3,
    "Naturalness Score: 5\nPersonalization Score: 3": 3,
    "Score: 2\nPersonalization Score: 3": 3,
    "Personalization Score: 3 stars": 3,
    "3/4": 3,
    "Three.": 3,
    # Off the scale, between two grades, or a share.
    "Personalization Score: 0": None,
    "Personalization Score: 5": None,
    "Personalization Score: 10": None,
    "Personalization Score: 30": None,
    "Personalization Score: -3": None,
    "Personalization Score: 2.5": None,
    "Personalization Score: 2,5": None,
    "Personalization Score: 2\u00bd": None,
    "Personalization Score: 2 1/2": None,
    "Personalization Score: 2 and a half": None,
    "Personalization Score: 3/5": None,
    "Personalization Score: 3/10": None,
    "Personalization Score: 3 out of 10": None,
    "Personalization Score: 3%": None,
    "Personalization Score: 75 percent": None,
    "Personalization Score: 3+": None,
    "Personalization Score: 3-": None,
    "Personalization Score: >2": None,
    "Personalization Score: ~3": None,
    "Personalization Score: 3rd level": None,
    "Personalization Score: 3e0": None,
    # Several.
    "Personalization Score: 3 or 4": None,
    "Personalization Score: 3-4": None,
    "Personalization Score: 3 \u2013 4": None,
    "Personalization Score: 3 to 4": None,
    "Personalization Score: 3, 4": None,
    "Personalization Score: three or four": None,
    "Personalization Score: 2 -> 3": None,
    "Personalization Score: 1-4": None,
    "Personalization Score: [1-4]": None,
    "Personalization Score: 3\nPersonalization Score: 4": None,
    "Score: 3\nScore: 4": None,
    "3 or 4": None,
    # None.
    "": None,
    "   \n": None,
    "Strong.": None,
    "Personalization Score:": None,
    "Personalization Score: a whole number from 1 to 4": None,
    "Personalization Score: N/A": None,
    "Personalization Score: between 3 and 4": None,
    "Personalization Score: at least 3": None,
    "Personalization Score: not 3": None,
    "Personalization Score: Strong": None,
    "Personalization Score: III": None,
    "Personalization Score:\n1. It asks what it knows.\n2. It is slow.": None,
    "Naturalness Score: 3": None,
    "Personalization of 3 turns was good.": None,
    "The personalization score 3 turns ago was better.": None,
    "I think that 3 would be right.": None,
    "The assistant used 3 preferences.": None,
    "It is hard to say.\n3": None,
    "1. The assistant asks twice.": None,
    "<think>Personalization Score: 3": None,
    "Personalization Score: 3?": None,
}

TRUTHS = {
    "VERDICT (True/False): True": 1,
    "VERDICT [True or False]: False": 0,
    "VERDICT: Yes": 1,
    "VERDICT: No, the table was never booked.": 0,
    "Task completion: True": 1,
    "Task Completion Verdict: False": 0,
    "Answer: True": 1,
    "<verdict>False</verdict>": 0,
    "VERDICT: True EXPLANATION: no goal is left, and none is false.": 1,
    "VERDICT: False because the user left.": 0,
    "true": 1,
    "VERDICT: True or False": None,
    "VERDICT: True/False": None,
    "VERDICT: [True/False]": None,
    "VERDICT: true false": None,
    "VERDICT: yes and no": None,
    "VERDICT: True\nVERDICT: False": None,
    "VERDICT: True. On reflection, VERDICT: False.": None,
    "VERDICT: not true": None,
    "The verdict is not false": None,
    "VERDICT: untrue": None,
    "VERDICT: truely": None,
    "VERDICT: true-ish": None,
    "VERDICT: True?": None,
    "VERDICT: partially true": None,
    "VERDICT: mostly true": None,
    "VERDICT: True, but only in part": None,
    "VERDICT: True only in part": None,
    "VERDICT: True, except for the date": None,
    "VERDICT: no doubt true": None,
    "VERDICT: 1": None,
    "VERDICT: 0": None,
    "VERDICT:": None,
    "VERDICT: completed": None,
    "VERDICT: cannot be told": None,
    "The task was completed.": None,
    "It is true that the user is content.": None,
    "False claims were made, but the goal was met.": None,
    "True, as far as it goes": None,
    "": None,
    "<think>VERDICT: True": None,
}


def test_a_score_is_on_the_scale_or_none() -> None:
    assert {text: read_score(text, "Personalization Score", 4).value for text in SCORES} == SCORES


def test_a_truth_is_told_or_none() -> None:
    assert {text: read_truth(text).value for text in TRUTHS} == TRUTHS


def test_why_there_is_no_verdict_is_told() -> None:
    def why(text: str) -> str | None:
        return read_score(text, "Coherence Score", 5).reason

    assert why("") == "empty"
    assert why("Fine.") == "no verdict"
    assert why("Coherence Score: 6") == "off the scale"
    assert why("Coherence Score: 4\nCoherence Score: 5") == "several verdicts"
    assert why("Coherence Score: 5") is None


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ("Turn 1: 3\nTurn 2: 4", (3, 4)),
        ("**Turn 1:** 3\n- Turn 2 - [4]", (3, 4)),
        ("turn 2: 4\nturn 1: 3/4 as it asks", (3, 4)),
        ("Turn 1 score: 3\nTurn 2 score: 4", (3, 4)),
        ("Turn 1: 3", None),
        ("Turn 1: 3\nTurn 2: 5", None),
        ("Turn 1: 3\nTurn 2: 4\nTurn 3: 4", None),
        ("Turn 1: 3\nTurn 2: 4\nTurn 2: 1", None),
        ("Turn 1: 3\nTurn 2: good", None),
        ("3\n4", None),
        ("", None),
    ],
)
def test_every_turn_has_a_score_or_there_are_none(
    text: str, scores: tuple[int, ...] | None
) -> None:
    assert read_turn_scores(text, 2, 4) == scores


@pytest.mark.parametrize(
    "text", ["Score" * 20_000, "Score: " * 20_000, "(" * 90_000, "3 " * 50_000]
)
def test_no_reply_stalls_the_reader(text: str) -> None:
    assert len(text) > LONGEST_REPLY
    assert read_score(text, "Coherence Score", 5).value is None
    assert read_truth(text).value is None
