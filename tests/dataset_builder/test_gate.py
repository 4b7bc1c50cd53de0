import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from personamem.dataset_builder.gate import GateError, check_split

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def split(dataset: Path) -> tuple[Rows, Rows]:
    benchmark = pq.read_table(dataset / "benchmark" / "4k.parquet").to_pylist()
    annotations = pq.read_table(dataset / "annotations" / "4k.parquet").to_pylist()
    return benchmark, annotations


def first_quad(benchmark: Rows, annotations: Rows) -> Rows:
    quad_id = annotations[0]["quad_id"]
    pairs = zip(benchmark, annotations, strict=True)
    return [row for row, note in pairs if note["quad_id"] == quad_id]


def lengthen_gold(quad: Rows) -> None:
    for row in quad:
        row["options"] = [row["options"][0] + " really" * 20, *row["options"][1:]]


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda quad: quad[0].update(correct_answer=quad[1]["correct_answer"]), "each letter"),
        (lambda quad: quad[0].update(persona_id=quad[1]["persona_id"]), "four personas"),
        (lambda quad: quad[0].update(user_question_or_message="Eh?"), "one question text"),
        (lambda quad: quad[0].update(all_options="[]"), "one list of options"),
        (lambda quad: [r.update(options=["x", "x", "y", "z"]) for r in quad], "equal options"),
        (lengthen_gold, "letters"),
        (lambda quad: quad[0].update(question_id=quad[1]["question_id"]), "twice"),
    ],
)
def test_a_broken_quad_is_not_packaged(
    split: tuple[Rows, Rows], break_it: Callable[[Rows], object], message: str
) -> None:
    benchmark, annotations = copy.deepcopy(split)
    check_split("4k", benchmark, annotations, [4_000])
    break_it(first_quad(benchmark, annotations))
    with pytest.raises(GateError, match=message):
        check_split("4k", benchmark, annotations, [4_000])


@pytest.mark.parametrize("tokens", [3_000, 4_097])
def test_a_context_outside_its_budget_is_not_packaged(
    split: tuple[Rows, Rows], tokens: int
) -> None:
    with pytest.raises(GateError, match="tokens of 4,096"):
        check_split("4k", *split, [4_000, tokens])
