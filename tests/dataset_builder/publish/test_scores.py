"""Scores on a card: those of whole runs on this very dataset, under names without a path."""

import json
from pathlib import Path
from typing import Any

import pytest

from personamem.cards import Score
from personamem.dataset_builder.errors import InvalidInputError
from personamem.dataset_builder.publish.scores import read_scores


def write_results(path: Path, dataset: str, **changes: Any) -> Path:
    """Write what lm-eval writes, as far as it is read."""
    results = {
        "results": {
            "personamem_4k": {"acc,none": 0.5, "acc_stderr,none": 0.1, "unparsable,none": 0.0},
            "personamem_4k_ll": {"acc,none": 0.25, "acc_stderr,none": "N/A"},
        },
        "configs": {
            "personamem_4k": {"dataset_path": dataset},
            "personamem_4k_ll": {"dataset_path": dataset},
        },
        "n-samples": {
            "personamem_4k": {"original": 28, "effective": 28},
            "personamem_4k_ll": {"original": 28, "effective": 28},
        },
        "model_name": "owner/model",
        "date": 1_795_313_511.3,
        **changes,
    }
    path.write_text(json.dumps(results))
    return path


@pytest.mark.parametrize("dataset", ["own/bench", "own/bench@v1.0.0", "{folder}"])
def test_scores_are_read(tmp_path: Path, dataset: str) -> None:
    path = write_results(tmp_path / "results.json", dataset.format(folder=tmp_path))
    assert read_scores(path, tmp_path, "own/bench") == [
        Score("owner/model", "personamem_4k", 0.5, 0.1, 28, "2026-11-22"),
        Score("owner/model", "personamem_4k_ll", 0.25, None, 28, "2026-11-22"),
    ]


def test_the_folder_of_a_model_is_not_told(tmp_path: Path) -> None:
    path = write_results(tmp_path / "r.json", "own/bench", model_name="/home/somebody/SmolLM2")
    assert {score.model for score in read_scores(path, tmp_path, "own/bench")} == {"SmolLM2"}


LIMITED = {
    "personamem_4k": {"original": 28, "effective": 2},
    "personamem_4k_ll": {"original": 28, "effective": 28},
}


@pytest.mark.parametrize(
    ("dataset", "changes", "words"),
    [
        ("other/bench", {}, "is about other/bench; accepted: results on"),
        ("own/bench", {"n-samples": LIMITED}, "is of a run with --limit"),
        ("own/bench", {"results": {}}, "holds no accuracy of a personamem task"),
        ("own/bench", {"results": []}, "is no results_"),
        ("own/bench", {"date": "today"}, "is no results_"),
    ],
)
def test_other_results_are_refused(
    tmp_path: Path, dataset: str, changes: dict[str, Any], words: str
) -> None:
    path = write_results(tmp_path / "results.json", dataset, **changes)
    with pytest.raises(InvalidInputError, match=words):
        read_scores(path, tmp_path, "own/bench")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="cannot be read"):
        read_scores(tmp_path / "no.json", tmp_path, "own/bench")
