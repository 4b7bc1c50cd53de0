"""Metadata policies find letters and options that columns give away, and nothing in our quads."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from personamem.dataset_builder.audit.baselines import OVERALL, Baseline, measure_chance
from personamem.dataset_builder.audit.metadata import (
    METADATA_POLICIES,
    MetadataRow,
    make_metadata_rows,
)
from personamem.dataset_builder.audit.predictions import Prediction
from personamem.dataset_builder.core.items import Item, make_items
from personamem.dataset_builder.families.personamem.audit.sources import read_split
from personamem.loaders.formats.schema import Question

Choose = Callable[[Random, MetadataRow, int], int]
"""From a row and the gold of the row before: the gold."""


def change(row: MetadataRow, **values: Any) -> MetadataRow:
    """Return a row with other values of its item, or of columns of its question."""
    fields = Item.__dataclass_fields__
    item = {name: values[name] for name in values if name in fields}
    columns = {name: values[name] for name in values if name in Question.__dataclass_fields__}
    return replace(row, item=replace(row.item, **item), question=replace(row.question, **columns))


def make_rows(choose: Choose, number: int = 400, seed: int = 1) -> list[MetadataRow]:
    random = Random(seed)
    rows: list[MetadataRow] = []
    for i in range(number):
        persona = random.randrange(40)
        question = Question(
            persona_id=persona,
            question_id=f"{random.getrandbits(64):016x}",
            question_type=f"type{random.randrange(7)}",
            topic=f"topic{random.randrange(15)}",
            context_length_in_tokens=random.randrange(20_000, 30_000),
            context_length_in_letters=random.randrange(90_000, 120_000),
            distance_to_ref_in_blocks=random.randrange(8),
            distance_to_ref_in_tokens=random.randrange(28_000),
            num_irrelevant_tokens=random.randrange(9_000),
            distance_to_ref_proportion_in_context=f"{100 * random.random():.2f}%",
            user_question_or_message=f"Question {i}?",
            correct_answer="",
            all_options="",
            shared_context_id=f"context{persona}",
            end_index_in_shared_context=random.randrange(1, 500),
            options=tuple(f"{random.getrandbits(40):010x}" for _ in range(4)),
            answer_index=0,
        )
        (item,) = make_items([question], None)
        row = MetadataRow(i, question, replace(item, group=f"group{i // 4:03}"))
        gold = choose(random, row, rows[-1].item.gold if rows else 0)
        rows.append(change(row, gold=gold))
    return rows


def measure(rows: list[MetadataRow], *policies: str) -> tuple[Baseline, ...]:
    items = [row.item for row in rows]
    return measure_chance(items, {name: METADATA_POLICIES[name](rows) for name in policies})


def place_of_persona(random: Random, row: MetadataRow, before: int) -> int:
    return row.item.options.index(sorted(row.item.options)[row.question.persona_id % 4])


LEAKS: dict[str, Choose] = {
    "row number": lambda random, row, before: row.row_number % 4,
    "row before": lambda random, row, before: (
        (before + 1) % 4 if random.random() < 0.7 else random.randrange(4)
    ),
    "persona": lambda random, row, before: row.question.persona_id % 4,
    "topic": lambda random, row, before: int(row.question.topic[5:]) % 4,
    "type": lambda random, row, before: int(row.question.question_type[4:]) % 4,
    "distance": lambda random, row, before: min(3, row.question.distance_to_ref_in_tokens // 7_000),
    "place": place_of_persona,
    "one letter": lambda random, row, before: 0,
}


@pytest.mark.parametrize(
    ("leak", "policy", "least"),
    [
        ("row number", "letter by row number", 1.0),
        ("row number", "letter by the row before", 0.99),
        ("row before", "letter by the row before", 0.6),
        ("persona", "letter by persona", 0.95),
        ("persona", "letter by context", 0.95),
        ("persona", "columns classifier (groups apart)", 0.8),
        ("topic", "letter by topic", 1.0),
        ("type", "letter by question type", 1.0),
        ("one letter", "columns classifier (groups apart)", 1.0),
        ("distance", "columns classifier (groups apart)", 0.8),
        ("distance", "columns classifier (rows apart)", 0.8),
        ("place", "option's alphabetical place by persona", 1.0),
        ("place", "columns classifier of alphabetical places", 0.8),
    ],
)
def test_a_planted_leak_is_found(leak: str, policy: str, least: float) -> None:
    rows = make_rows(LEAKS[leak], 800)
    overall = measure(rows, policy)[0]
    assert overall.question_type == OVERALL
    assert overall.accuracy.share >= least
    assert not overall.passed


@pytest.mark.parametrize(
    "rename",
    [lambda row: row, lambda row: 999 - row, lambda row: row * 7_919 % 1_009],
    ids=["in the order of rows", "in reverse", "in disorder"],
)
def test_the_row_before_is_known_alike_however_groups_are_named(
    rename: Callable[[int], int],
) -> None:
    rows = make_rows(LEAKS["row before"], 800)
    rows = [change(row, group=f"group{rename(i):04}") for i, row in enumerate(rows)]
    (overall, *_) = measure(rows, "letter by the row before")
    assert overall.accuracy.total > 300
    assert overall.p_value is not None
    assert overall.p_value < 1e-9


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_letters_are_at_chance(seed: int) -> None:
    rows = make_rows(lambda random, *_: random.randrange(4), 200, seed)
    assert all(row.passed for row in measure(rows, *METADATA_POLICIES))


@pytest.mark.parametrize("split", ["4k", "32k"])
def test_our_columns_and_rows_give_nothing_away(dataset: Path, split: str) -> None:
    data = read_split(dataset, split)
    items = make_items(data.questions, data.annotations)
    rows = make_metadata_rows(data.questions, items)
    predictions = {name: policy(rows) for name, policy in METADATA_POLICIES.items()}
    assert all(row.passed for row in measure_chance(items, predictions))


@pytest.mark.parametrize("policy", METADATA_POLICIES.values(), ids=METADATA_POLICIES)
@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_a_few_rows_give_figures(policy: Callable[..., Prediction], number: int) -> None:
    rows = make_rows(LEAKS["persona"], number)
    assert [len(values) for values in policy(rows).scores] == [4] * number


ODD: list[dict[str, Any]] = [
    {"distance_to_ref_proportion_in_context": "n/a"},
    {"question_id": ""},
    {"options": ("same", "same", "same", "same")},
    {"options": ("", "o", "p", "q")},
    {"persona_id": -1, "distance_to_ref_in_tokens": -5},
]


def test_odd_rows_give_figures() -> None:
    rows = make_rows(LEAKS["persona"], 60)
    for i, values in enumerate(ODD):
        rows[3 * i] = change(rows[3 * i], **values)
    for policy in METADATA_POLICIES.values():
        assert all(0 <= value < float("inf") for row in policy(rows).scores for value in row)


def test_one_long_cell_does_not_cost_its_length_for_every_row() -> None:
    rows = make_rows(LEAKS["persona"], 60)
    long = "x" * 2_000_000
    rows[7] = change(rows[7], topic=long, group=long, options=(long, "b", "c", "d"))
    tracemalloc.start()
    try:
        METADATA_POLICIES["columns classifier of alphabetical places"](rows)
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_figures_are_the_same_every_time() -> None:
    rows = make_rows(LEAKS["persona"], 80)
    for policy in METADATA_POLICIES.values():
        first, second = policy(rows), policy(rows)
        assert [row.tolist() for row in first.scores] == [row.tolist() for row in second.scores]
        assert first.stage.tolist() == second.stage.tolist()
        assert first.tested.tolist() == second.tested.tolist()
