"""The report on multiple choice: what is read, measured, compared and refused."""

import json
import math
from pathlib import Path

import pytest
from answer_files import TASK, make_row, write_run
from calling import call

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personamem.results.reading import read_runs
from personamem.dataset_builder.families.personamem.results.records import Run
from personamem.dataset_builder.families.personamem.results.report import describe_runs
from personamem.dataset_builder.families.personamem.results.statistics import (
    compare_runs,
    measure_share,
)
from personamem.dataset_builder.reports.results import ResultsReport, render_results
from personamem.dataset_builder.reports.tables import TextTable
from personamem.loaders.formats.errors import DatasetError, InvalidInputError


def read(*paths: Path) -> list[Run]:
    return read_runs(read_evaluations(paths))[0]


def find_table(report: ResultsReport, title: str) -> TextTable:
    return next(table for table in report.tables if table.title.startswith(title))


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    half = [make_row(number, "ab"[number % 2]) for number in range(80)]
    most = [make_row(number, None if number % 10 == 0 else "a") for number in range(80)]
    write_run(tmp_path, half, "models/half")
    write_run(tmp_path, most, "models/most")
    return read(tmp_path)


def test_accuracies_are_those_of_the_answers(runs: list[Run]) -> None:
    report = describe_runs(runs)
    rows = {row[0]: row for row in find_table(report, "Accuracy").rows}
    assert rows[f"half, {TASK}"][1] == "0.500"
    assert rows[f"most, {TASK}"][1] == "0.900"
    levels = {row[0]: row[1] for row in find_table(report, "Accuracy by level").rows}
    assert {name: cell.split()[0] for name, cell in levels.items()} == {
        "implied": "0.500",
        "named": "0.500",
    }
    assert report.scores == {f"half, {TASK}": 0.5, f"most, {TASK}": 0.9}


def test_curves_have_a_point_for_each_value_of_a_dial(runs: list[Run]) -> None:
    report = describe_runs(runs)
    assert find_table(report, "Accuracy against updates").head[1:] == ("0", "1", "2")
    assert len(find_table(report, "Accuracy against distance").head) == 6
    drawn = [figure.title for figure in report.figures]
    assert drawn == ["Accuracy against distance in thousands of tokens", "Accuracy against updates"]
    page = render_results([report])
    assert page.count("<svg") == 2
    assert "http" not in page


def test_wrong_answers_have_roles(runs: list[Run]) -> None:
    rows = {row[0]: row[1:] for row in find_table(describe_runs(runs), "Roles").rows}
    assert rows == {"former": ("1.000", "0.000"), "no letter": ("0.000", "1.000")}


def test_likelihoods_choose_the_role_of_the_highest(tmp_path: Path) -> None:
    row = make_row(0, "a")
    row["resps"] = [[["-3.0", "False"]], [["-inf", "False"]], [["-1.5", "True"]], [["-9", "False"]]]
    write_run(tmp_path, [row])
    assert read(tmp_path)[0].answers[0].role == "somebody_else"


def test_an_interval_is_wider_where_answers_of_a_persona_agree(tmp_path: Path) -> None:
    """With one persona always right and three always wrong, personas carry all the doubt."""
    write_run(tmp_path, [make_row(n, "a" if n % 4 == 0 else "b") for n in range(400)])
    (run,) = read(tmp_path)
    share = measure_share(run.answers)
    binomial = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert share.value == 0.25
    assert share.high - share.value > 5 * binomial


def test_a_share_of_nothing_but_right_answers_has_an_interval(tmp_path: Path) -> None:
    write_run(tmp_path, [make_row(n, "a") for n in range(20)])
    (run,) = read(tmp_path)
    share = measure_share(run.answers)
    assert (share.value, share.high) == (1.0, 1.0)
    assert 0.8 < share.low < 0.9


def test_differences_are_paired_and_tested(tmp_path: Path) -> None:
    rows = [make_row(n, "ab"[n % 2]) | {"acc": float(n % 3 > 0)} for n in range(400)]
    for row in rows:
        row["doc"]["persona_id"] = int(row["doc"]["question_id"][1:]) % 20
    better = [row | {"acc": 1.0} for row in rows]
    write_run(tmp_path, rows[:300], "models/one")
    write_run(tmp_path, better, "models/two")
    one, two = read(tmp_path)
    found = compare_runs(two, one)
    assert (found.total, found.value) == (300, pytest.approx(1 / 3))
    assert found.p_value < 0.001
    assert compare_runs(one, one).p_value == 1.0
    report = describe_runs([one], [two])
    assert report.worse == (f"one, {TASK}",)
    assert describe_runs([two], [one]).worse == ()


def test_the_last_run_counts(tmp_path: Path) -> None:
    write_run(tmp_path, [make_row(0, "b")], date=9.0)
    write_run(tmp_path, [make_row(0, "a")], date=10.0)
    assert [run.accuracy for run in read(tmp_path)] == [1.0]


def test_answers_of_a_release_have_no_dials(tmp_path: Path) -> None:
    row = make_row(0, "b")
    row["doc"] |= {"dials": None, "distance_to_ref_in_tokens": None}
    write_run(tmp_path, [row])
    report = describe_runs(read(tmp_path))
    assert [table.title for table in report.tables] == ["Accuracy", "Accuracy by question type"]
    assert report.figures == ()


def test_results_without_answers_are_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, [make_row(0, "a")])
    next(tmp_path.glob("samples_*")).unlink()
    with pytest.raises(InvalidInputError, match=rf"{path.name} has the accuracy.*--log_samples"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", r"samples_.*jsonl cannot be read"),
        ("[]", r"line 1 is not an answer"),
        (json.dumps({"doc": {}}), r"line 1 is not an answer.*KeyError"),
        ("", r"holds no answers"),
    ],
)
def test_damaged_answers_are_named(tmp_path: Path, line: str, said: str) -> None:
    write_run(tmp_path, [make_row(0, "a")])
    next(tmp_path.glob("samples_*")).write_text(line)
    with pytest.raises(DatasetError, match=said):
        read(tmp_path)


def test_runs_on_other_questions_are_said_to_have_none_in_common(tmp_path: Path) -> None:
    write_run(tmp_path, [make_row(n, "a") for n in range(8)], "models/one")
    write_run(tmp_path, [make_row(n, "a") for n in range(8, 16)], "models/two")
    report = describe_runs(read(tmp_path))
    ((_, *cells),) = find_table(report, "Paired differences").rows
    assert cells == ["-", "-", "none in common"]


def test_a_baseline_that_nothing_is_compared_with_does_not_pass(tmp_path: Path) -> None:
    write_run(tmp_path / "now", [make_row(n, "a") for n in range(8)])
    write_run(tmp_path / "before", [make_row(n, "a") for n in range(8)])
    write_run(tmp_path / "other", [make_row(n, "a") for n in range(8, 16)])
    (tmp_path / "empty").mkdir()
    words = ("report", tmp_path / "now", "--baseline")
    assert call(*words, tmp_path / "before").returncode == 0
    for name in ("other", "empty"):
        done = call(*words, tmp_path / name)
        assert done.returncode == 2
        assert f"{name} holds no answers to compare tiny, {TASK} with." in done.stderr
        assert "Accepted: results with --log_samples of the same multiple-choice" in done.stderr
