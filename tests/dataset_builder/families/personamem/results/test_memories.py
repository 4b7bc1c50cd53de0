"""Runs with memories: told apart, with the cause of each wrong answer and with their costs."""

from pathlib import Path
from typing import Any

import pytest
from answer_files import make_note, make_row, write_run

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personamem.results.reading import read_runs
from personamem.dataset_builder.families.personamem.results.records import Run
from personamem.dataset_builder.families.personamem.results.report import describe_runs
from personamem.dataset_builder.reports.results import render_results
from personamem.loaders.formats.errors import DatasetError


def make_answer(number: int, letter: str, note: dict[str, Any]) -> dict[str, Any]:
    row = make_row(number, letter)
    return {**row, "evidence_recall": {**note, "context_id": f"context-{number % 2}"}}


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    links = [(0.5, 0.5), (0.0, 1.0), (1.0, 1.0), (None, None), (0.0, None), (1.0, 1.0)]
    one = [
        make_answer(number, "b" if number < 5 else "a", make_note("mem0", *link))
        for number, link in enumerate(links)
    ]
    failed = make_note("bm25", 0.0, None, "index lost")
    other = [make_answer(number, "c", failed) for number in range(4)]
    plain = [make_row(number, "b") for number in range(4)]
    for date, rows in enumerate((one, other, plain)):
        write_run(tmp_path, rows, date=float(date))
    return read_runs(read_evaluations([tmp_path]))[0]


def test_runs_of_one_model_with_other_memories_are_other_runs(runs: list[Run]) -> None:
    assert [run.memory for run in runs] == ["", "bm25 at 500", "mem0 at 500"]


def test_each_wrong_answer_has_the_first_link_that_broke(runs: list[Run]) -> None:
    report = describe_runs(runs)
    (table,) = (t for t in report.tables if t.title.startswith("Causes"))
    assert {row[0]: row[1:] for row in table.rows} == {
        "never written": ("0.000", "0.200"),
        "not found": ("1.000", "0.200"),
        "found and not used": ("0.000", "0.200"),
        "unknown": ("0.000", "0.400"),
    }
    assert "Causes of wrong answers" in render_results([report])


def test_costs_count_each_context_once(runs: list[Run]) -> None:
    report = describe_runs(runs)
    (table,) = (t for t in report.tables if t.title.startswith("Memories"))
    mem0 = next(row for row in table.rows if "mem0" in row[0])
    assert mem0[1:] == (
        *("0.500", "0.875", "400", "10.0"),
        *("18", "8,000", "3.0", "4", "600", "80"),
    )
    figures = next(data for label, data in report.data.items() if "mem0" in label)
    assert figures["memory"]["causes"]["unknown"] == 2


def test_reports_without_memories_say_nothing_of_them(tmp_path: Path) -> None:
    write_run(tmp_path, [make_row(0, "b")])
    titles = [t.title for t in describe_runs(read_runs(read_evaluations([tmp_path]))[0]).tables]
    assert not [title for title in titles if "Causes" in title or "Memories" in title]


def test_a_damaged_note_is_named(tmp_path: Path) -> None:
    note = make_note("mem0", 1.0, 1.0)
    del note["context"]
    write_run(tmp_path, [make_answer(0, "a", note)])
    with pytest.raises(DatasetError, match=r"line 1 is not an answer.*KeyError: 'context'"):
        read_runs(read_evaluations([tmp_path]))
