"""Answers meet what is asked: the working, brevity, yes or no, every amount asked for."""

import re
from collections.abc import Iterator
from random import Random

import pytest
from unrelated_samples import number, sample

from personamem.dataset_builder.fillers import UnrelatedWriter, kinds
from personamem.dataset_builder.fillers.content_files import BREVITY, WORKING, load_templates
from personamem.dataset_builder.fillers.draw import Draw
from personamem.dataset_builder.fillers.registry import KINDS
from personamem.dataset_builder.fillers.units import conversion

BRIEF = re.compile(r"Keep it brief|Just briefly|A short answer is fine|[Aa] one-line|[Aa] brief")
STEPS = re.compile(
    r"(?:with|showing|and show|show|show me|include|see) (?:the steps|the working|each step)"
    r"|step by step|by hand|by repeated division|line by line|with Euclid's steps",
    flags=re.I,
)
OFFER = re.compile(r"(?:Let me know|Just ask|Tell me|Say so|[Aa]sk|Do say) if ")


def exchanged(*kinds: str, per_kind: int = 150) -> Iterator[tuple[str, str, str]]:
    """Kind, user message and answer of many exchanges."""
    for kind in kinds:
        writer = UnrelatedWriter(Random(f"asks {kind}"))
        for _ in range(per_kind):
            texts = [message["content"] for message in writer.exchange(kind)]
            for ask, reply in zip(texts[::2], texts[1::2], strict=True):
                yield kind, ask, reply


def test_no_mark_is_left() -> None:
    for _, ask, reply in exchanged(*kinds(), per_kind=40):
        assert WORKING not in ask + reply
        assert BREVITY not in ask + reply


def test_every_kind_that_is_asked_for_its_working_can_show_it() -> None:
    for kind, ask, _ in exchanged(*kinds(), per_kind=60):
        if STEPS.search(ask) and kind != "python_code":
            groups = load_templates(KINDS[kind][1])
            narrow = [name for name in groups if name.endswith(f"reply{WORKING}")]
            # The answers of these show their working in every phrasing.
            always = {"checksum", "letters", "primes"}
            assert narrow or kind in always, (kind, ask)


@pytest.mark.parametrize(
    ("kind", "working"),
    [
        ("number_base", r"remainder \w"),
        ("gcd_lcm", r"\d = \d+ × \d+ \+ \d"),
        ("weekday", r"(?:\d mod 7|leaves \d|modulo 7|7 × \d+)"),
        ("discount", r"(?:×|One percent|\d - \d)"),
        ("conversion", r"(?:Conversion|Factor|factor|×|scale|multiply)"),
        ("physics", r"[=√].*\d (?:×|/) |√|inserted"),
        ("primes", r"÷|divides it|Trial|prime number"),
        ("roman", r"\(\d+\)"),
        ("probability", r"there are"),
    ],
)
def test_steps_that_are_asked_for_are_shown(kind: str, working: str) -> None:
    pool = ("length", "mass", "area") if kind == "conversion" else (kind,)
    asked = 0
    for _, ask, reply in exchanged(*pool, per_kind=300):
        if STEPS.search(ask):
            assert re.search(working, reply), (ask, reply)
            asked += 1
    assert asked > 2


def test_brief_answers_have_no_extras_and_no_offers() -> None:
    brief, full = [], []
    for _, ask, reply in exchanged("percentage", "discount", "weekday", "length", "primes"):
        (brief if BRIEF.search(ask) else full).append(reply)
    assert len(brief) > 30
    assert not any(OFFER.search(reply) for reply in brief)
    assert any(OFFER.search(reply) for reply in full)
    assert sum(map(len, brief)) / len(brief) < 0.75 * sum(map(len, full)) / len(full)


def test_nobody_asks_for_the_working_and_for_brevity() -> None:
    for _, ask, _ in exchanged(*kinds(), per_kind=60):
        assert not (STEPS.search(ask) and BRIEF.search(ask)), ask


def test_yes_and_no_come_first() -> None:
    closed = re.compile(
        r"(?:^|\. |! )(?:Is (?:\"|\d+ a (?:leap|prime)|the (?:year|number|chance|mean))"
        r"|Do the mean|Does it equal|Is that the same|Does \d+ have)",
    )
    met = 0
    for kind, ask, reply in exchanged("iso_week", "statistics", "discount", "spelling", "letters"):
        if closed.search(ask):
            assert reply.lower().startswith(("yes", "no")), (kind, ask, reply)
            met += 1
    assert met > 60


def test_no_courtesy_stands_before_a_no() -> None:
    for _, _, reply in exchanged("letters", "spelling", "iso_week", "probability"):
        assert not re.match(r"(?:Sure|Certainly|Gladly|No problem|Of course)\. (?:No|Yes)\b", reply)


def test_both_amounts_are_named_when_both_are_asked_for() -> None:
    checked = 0
    for _, ask, reply in exchanged("discount"):
        asked = re.search(r"([\d,]+\.\d\d) \w{3}", ask)
        rate = re.search(r"(\d+) %", ask)
        if asked and rate and re.search(r"amount off, and|and what (?:is left|remains)", ask):
            off = round(number(asked[1]) * int(rate[1]) / 100 + 1e-9, 2)
            left = round(number(asked[1]) - off, 2)
            first_line = {number(text) for text in re.findall(r"[\d,]+\.\d\d", reply)}
            assert any(abs(value - off) < 0.011 for value in first_line), (ask, reply)
            assert any(abs(value - left) < 0.011 for value in first_line), (ask, reply)
            checked += 1
    assert checked > 10


def test_a_second_discount_starts_from_the_price_that_was_shown() -> None:
    checked = 0
    for _, _, reply in exchanged("discount"):
        step = re.search(r"[A-Z]{3}: ([\d,]+\.\d\d) × (0\.\d+) ([=≈]) ([\d,]+\.\d\d)", reply)
        if step:
            exact = number(step[1]) * float(step[2])
            assert abs(exact - number(step[4])) < 0.0051
            assert (step[3] == "=") == (abs(exact - number(step[4])) < 1e-6), reply
            checked += 1
    assert checked > 10


def test_a_table_that_is_asked_for_as_a_question_ends_as_one() -> None:
    for kind in ("length", "mass", "volume"):
        for ask, _ in sample(kind):
            assert not re.search(r"Could I have a table in \S+\.", ask), ask


def test_the_direction_of_a_conversion_turns_with_each_way_back() -> None:
    turned = 0
    for seed in range(200):
        turns = conversion("length")(Draw(Random(seed)))
        ways = [(turn.slots["source_symbol"], turn.slots["target_symbol"]) for turn in turns]
        for before, after, turn in zip(ways, ways[1:], turns[1:], strict=False):
            assert after == (before[::-1] if turn.ask == "back" else before)
            turned += turn.ask == "back"
    assert turned > 20
