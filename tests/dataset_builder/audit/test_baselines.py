"""Blind policies find what is planted, and nothing in a balanced dataset."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from personamem.dataset_builder.audit.baselines import OVERALL, Baseline, measure_chance
from personamem.dataset_builder.audit.blind import (
    _SCORED,
    Wordings,
    predict_blind,
    score_longest,
)
from personamem.dataset_builder.audit.chance import credit
from personamem.dataset_builder.core.items import Item, Scores, make_items
from personamem.dataset_builder.families.personamem.audit.sources import read_split

# Made words of three to ten letters, so that what is planted is all there is to find.
WORDS = [
    "".join(Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=3 + number % 8))
    for number in range(400)
]


def measure(items: Sequence[Item]) -> tuple[Baseline, ...]:
    return measure_chance(items, predict_blind(items))


def draw_items(number: int, plant: Callable[[Random, list[str]], int], seed: int = 1) -> list[Item]:
    """Questions of random words; ``plant`` changes the options and says which is the gold."""
    random = Random(seed)
    items = []
    for i in range(number):
        options = [" ".join(random.choices(WORDS, k=12)) for _ in range(4)]
        gold = plant(random, options)
        question = " ".join(random.choices(WORDS, k=8))
        items.append(Item(f"q{i}", f"type{i % 2}", question, tuple(options), gold, f"g{i}"))
    return items


def lengthen(random: Random, options: list[str]) -> int:
    # The published defect: the gold is the only longest option in about 45 % of the rows.
    gold = random.randrange(4)
    if random.random() < 0.27:
        options[gold] += " and then some more words of no consequence at all"
    return gold


def mark(random: Random, options: list[str]) -> int:
    gold = random.randrange(4)
    options[gold] += " personally"
    return gold


def always_first(random: Random, options: list[str]) -> int:
    return 0


def nothing(random: Random, options: list[str]) -> int:
    return random.randrange(4)


@pytest.mark.parametrize(
    ("plant", "policy"),
    [
        (lengthen, "longest"),
        (mark, "classifier (groups apart)"),
        (mark, "classifier (rows apart)"),
        (always_first, "letter prior"),
    ],
)
def test_a_planted_leak_is_found(plant: Callable[[Random, list[str]], int], policy: str) -> None:
    items = draw_items(200, plant)
    found = {(row.policy, row.question_type): row for row in measure(items)}[policy, OVERALL]
    assert found.accuracy.share > 0.36
    assert not found.passed


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_golds_are_at_chance(seed: int) -> None:
    assert all(row.passed for row in measure(draw_items(80, nothing, seed)))


@pytest.mark.parametrize("split", ["4k", "32k"])
def test_every_policy_is_at_exactly_a_quarter_on_our_quads(dataset: Path, split: str) -> None:
    source = read_split(dataset, split)
    rows = measure(make_items(source.questions, source.annotations))
    for row in rows:
        assert row.passed
        # A type may have no wording with a lone extreme.
        if row.policy != "classifier (rows apart)" and row.accuracy.total:
            assert row.accuracy.share == pytest.approx(0.25, abs=1e-12), row


def test_an_audit_of_more_parts_asks_for_more() -> None:
    items = draw_items(200, lengthen)
    predictions = predict_blind(items, ["longest"])
    alone, one_of_six = (measure_chance(items, predictions, parts)[0] for parts in (1, 6))
    assert alone.accuracy == one_of_six.accuracy
    assert one_of_six.p_corrected == pytest.approx(6 * alone.p_corrected)


def test_a_tie_earns_its_share() -> None:
    items = draw_items(40, nothing)
    flat = [np.zeros(4) for _ in items]
    assert credit(items, flat) == [0.25] * 40


def test_one_question_and_a_type_with_one_row_give_figures() -> None:
    for number in (1, 3):
        rows = measure(draw_items(number, nothing))
        assert all(row.passed for row in rows)
        assert {row.question_type for row in rows} >= {OVERALL, "type0"}


def test_policies_run_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    # Small products on many threads wait for each other, and cost a build many times the work.
    threads: set[int] = set()

    def look(wordings: Wordings) -> Scores:
        threads.update(library["num_threads"] for library in threadpool_info())
        return score_longest(wordings)

    monkeypatch.setitem(_SCORED, "longest", look)
    predict_blind(draw_items(4, nothing))
    assert threads == {1}


def test_questions_with_different_numbers_of_options_are_scored_apart() -> None:
    items = draw_items(6, nothing)
    ragged = [
        replace(item, options=item.options[: 2 + i % 3], gold=0) for i, item in enumerate(items)
    ]
    for prediction in predict_blind(ragged).values():
        assert [len(row) for row in prediction.scores] == [2, 3, 4, 2, 3, 4]
