"""Scores on a card: those of whole runs on this very dataset, under names without a path."""

from pathlib import Path
from typing import Any

import pytest
from publishing import write_results

from personamem.cards import Score
from personamem.dataset_builder.publish.scores import read_scores
from personamem.loaders.formats.errors import InvalidInputError

ADDRESS = "own/bench@v1.0.0"


@pytest.mark.parametrize("dataset", ["own/bench@v1.0.0", "{folder}"])
def test_scores_are_read(tmp_path: Path, dataset: str) -> None:
    path = write_results(tmp_path / "results.json", dataset.format(folder=tmp_path))
    assert read_scores(path, tmp_path, ADDRESS) == [
        Score("owner/model", "personamem_4k", 0.5, 0.1, 28, "2026-11-22"),
        Score("owner/model", "personamem_4k_ll", 0.25, None, 28, "2026-11-22"),
    ]


def test_accuracies_of_groups_are_read_and_those_by_distance_left_out(tmp_path: Path) -> None:
    found = {
        "acc,none": 0.5,
        "acc_stderr,none": 0.1,
        "acc_implied,none": 0.25,
        "acc_implied_stderr,none": "N/A",
        "acc_near,none": 1.0,
        "acc_named,none": "NaN",
    }
    path = write_results(tmp_path / "r.json", ADDRESS, results={"personamem_4k": found})
    (score,) = read_scores(path, tmp_path, ADDRESS)
    assert score.groups == {"implied": 0.25}


def test_the_folder_of_a_model_is_not_told(tmp_path: Path) -> None:
    path = write_results(tmp_path / "r.json", ADDRESS, model_name="/home/somebody/SmolLM2")
    assert {score.model for score in read_scores(path, tmp_path, ADDRESS)} == {"SmolLM2"}


LIMITED = {
    "personamem_4k": {"original": 28, "effective": 2},
    "personamem_4k_ll": {"original": 28, "effective": 28},
}


@pytest.mark.parametrize(
    ("dataset", "changes", "words"),
    [
        ("other/bench", {}, "is about other/bench; accepted: results on"),
        ("own/bench@v0.9.0", {}, "is about own/bench@v0.9.0"),
        ("own/bench", {}, "is about own/bench; accepted"),
        (ADDRESS, {"n-samples": LIMITED}, "is of a run with --limit"),
        (ADDRESS, {"results": {}}, "holds no accuracy of a personamem task"),
        (ADDRESS, {"results": []}, "is no results_"),
        (ADDRESS, {"date": "today"}, "is no results_"),
    ],
)
def test_other_results_are_refused(
    tmp_path: Path, dataset: str, changes: dict[str, Any], words: str
) -> None:
    path = write_results(tmp_path / "results.json", dataset, **changes)
    with pytest.raises(InvalidInputError, match=words):
        read_scores(path, tmp_path, ADDRESS)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_scores(tmp_path / "no.json", tmp_path, ADDRESS)
