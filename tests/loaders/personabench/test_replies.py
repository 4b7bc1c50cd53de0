"""Reading replies: lists in the spellings that models have for them, and what is no list."""

import pytest

from personamem.loaders.personabench.replies import SHORT_LINE, read_items


@pytest.mark.parametrize(
    ("reply", "items"),
    [
        ('["violin", "cello"]', ("violin", "cello")),
        ('Sure! Here it is:\n```json\n["violin"]\n```\nAnything else?', ("violin",)),
        ("['violin', \"O'Rex\",]", ("violin", "O'Rex")),
        ("[\u201cviolin\u201d, \u201ccello\u201d]", ("violin", "cello")),
        ('{"answer": ["violin"]}', ("violin",)),
        ('[["violin"], ["cello"]]', ("violin", "cello")),
        ("[39]", (39,)),
        ("39", (39,)),
        ("[null]", ()),
        ('["violin", "cello",\n]', ("violin", "cello")),
        ('{"answer": ["cello"], "certain": "yes"}', ("cello",)),
        ("<thinking>[harp]?</thinking>[39]", (39,)),
        ("NaN", ("NaN",)),
        ("[]", ()),
        ('[{"cat": "Otis"}]', ({"cat": "Otis"},)),
        ('{"cat": "Otis"}', ({"cat": "Otis"},)),
        ('"violin"', ("violin",)),
        ('First I thought of ["harp"]. The answer: ["cello"]', ("cello",)),
        ('<think>["harp"]?</think>["cello"]', ("cello",)),
        ("Answer: the glassworks", ("the glassworks",)),
        ("The answers are: Cambridge, MA", ("Cambridge, MA",)),
        ("- violin\n- cello", ("violin", "cello")),
        ("You play:\n1. violin\n2. cello", ("violin", "cello")),
        ("true", ("true",)),
        ("x" * SHORT_LINE, ("x" * SHORT_LINE,)),
    ],
)
def test_a_reply_that_can_be_read(reply: str, items: tuple[object, ...]) -> None:
    assert read_items(reply) == items


@pytest.mark.parametrize(
    "reply",
    [
        "",
        " \n",
        "<think>The cello, I would say: [",
        '["violin", "cel',
        '["violin", true]',
        "Well, that depends.\nYou told me of a cello and of a violin.",
        "x" * (SHORT_LINE + 1),
        "[" * 20_000,
        '["first"]' + "[" * 200 + '["last"]',
    ],
)
def test_a_reply_that_cannot(reply: str) -> None:
    assert read_items(reply) is None
