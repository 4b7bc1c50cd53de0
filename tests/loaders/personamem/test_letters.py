"""What counts as an answer, and what does not."""

import re

import pytest

from personamem.loaders.personamem.letters import read_letter


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("(b)", "b"),
        ("(B)", "b"),
        ("b", "b"),
        ("B.", "b"),
        ("a)", "a"),
        ("[b]", "b"),
        ("**b**", "b"),
        ("**B.** A walk", "b"),
        ("Option C", "c"),
        ("**Option B**", "b"),
        ("Answer: b", "b"),
        ("**Answer:** b", "b"),
        ("Answer: **(c)**", "c"),
        ("Final answer: A", "a"),
        ("The answer is (b) because you asked for it.", "b"),
        ("The answer is b because you asked for it.", "b"),
        ("The answer is: **d**", "d"),
        ("The answer is d!", "d"),
        ("The best choice is a.", "a"),
        ("I would pick option D, since it is near.", "d"),
        ("I choose b, not option c.", "b"),
        ("It is not option c but option b.", "b"),
        ("B. A walk along the river", "b"),
        ("B) A walk", "b"),
        ("C\n\nBecause you like tea", "c"),
        ("\\boxed{b}", "b"),
        ("so it is $\\boxed{\\text{C}}$", "c"),
        ("(b) is right, whatever option c says", "b"),
        ("<think>(a) or perhaps (c)?</think>\n(d)", "d"),
        ("(a) was my first thought</think>(d)", "d"),
    ],
)
def test_a_stated_choice_is_read(reply: str, letter: str) -> None:
    assert read_letter(reply) == letter


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "lol",
        "E",
        "(e)",
        "abcd",
        "bad",
        "a good idea",
        "A good idea would be to walk.",
        "The answer is a walk.",
        "The answer is A good tart",
        "I'd choose as many as I can",
        "select a time for tea",
        "Vitamin C: good",
        "A, B and C are all fine",
        "not option c",
        "(a) and (b)",
        "The answer is b. Or rather: option c.",
        "<think>It must be (a)",
    ],
)
def test_missing_or_ambiguous_choices_are_not_read(reply: str) -> None:
    assert read_letter(reply) is None


@pytest.mark.parametrize("reply", ["(a)", "I say (c).", "(a) or (c)", "not (d)", "(b), yes (b)"])
@pytest.mark.parametrize("gold", "abcd")
def test_the_official_rule_is_met_where_letters_stand_in_parentheses(reply: str, gold: str) -> None:
    officially_correct = set(re.findall(r"\(([a-d])\)", reply)) == {gold}
    assert (read_letter(reply) == gold) == officially_correct
