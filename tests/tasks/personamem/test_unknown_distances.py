"""Distances that a release does not state: lm-eval's aggregation leaves those questions out."""

import json
from pathlib import Path
from typing import Any

import pytest
from version2_release import change_rows, write_release

from personamem.loaders import load_personamem
from personamem.tasks.personamem.multiple_choice import score_letter

DISTANCE = "distance_from_related_snippet_to_query_32k"
TOTAL = "total_tokens_in_chat_history_32k"
THIRDS = ("acc_near,none", "acc_middle,none", "acc_far,none")


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", rows=12)


def evaluate(release: Path, tasks_folder: Path) -> dict[str, Any]:
    import lm_eval
    from lm_eval.tasks import TaskManager

    manager = TaskManager(
        include_path=str(tasks_folder),
        include_defaults=False,
        metadata={"dataset": str(release)},
    )
    results = lm_eval.simple_evaluate(
        model="dummy", tasks=["personamem_32k"], task_manager=manager, bootstrap_iters=100
    )
    assert results is not None
    return results


def forget(release: Path, column: str, kept: int, cell: str = "") -> None:
    def change(rows: list[dict[str, str]]) -> None:
        for row in rows[kept:]:
            row[column] = cell

    change_rows(release, change)


def test_a_release_without_distances_has_no_thirds(release: Path, tasks_folder: Path) -> None:
    from lm_eval.utils import make_table

    forget(release, DISTANCE, kept=0)
    results = evaluate(release, tasks_folder)
    scores = results["results"]["personamem_32k"]
    assert [scores[third] for third in THIRDS] == [None, None, None]
    assert scores["acc,none"] == 0.0
    json.dumps(results["results"], allow_nan=False)
    assert "acc_near" in make_table(results)


def test_thirds_are_those_of_the_known_distances(release: Path, tasks_folder: Path) -> None:
    forget(release, DISTANCE, kept=9)
    scores = evaluate(release, tasks_folder)["results"]["personamem_32k"]
    assert [scores[third] for third in THIRDS] == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("cell", ["", "-1"])
def test_an_unknown_distance_is_none_and_not_a_number(release: Path, cell: str) -> None:
    forget(release, DISTANCE, kept=3, cell=cell)
    questions = load_personamem(release, "32k").questions
    assert [question.distance_to_ref_in_tokens for question in questions[:5]] == [
        *(0, 1, 2),
        *(None, None),
    ]
    assert questions[2].distance_to_ref_proportion_in_context == "0.50%"
    assert questions[3].distance_to_ref_proportion_in_context == ""
    doc = {"answer_index": 0, "distance_to_ref_in_tokens": None}
    assert score_letter(doc, "a")["acc_near"] == (None, 1.0)


def test_a_conversation_of_unknown_length_is_counted_by_its_text(
    release: Path, make_task: Any
) -> None:
    forget(release, TOTAL, kept=0)
    task = make_task("personamem_32k", release)
    doc = task.test_docs()[0]
    parts = task.split_prompt(doc)
    messages = task.data.messages_for(task.data.ordered_questions()[0])
    assert parts.tokens is None
    assert parts.texts == tuple(message["content"] for message in messages)
