"""Reading files of results: which system, which noise level, and what is refused."""

import json
from pathlib import Path

import pytest
from result_files import write_json, write_other_task, write_retrieval, write_run

from personamem.dataset_builder.families.evaluations import read_evaluations
from personamem.dataset_builder.families.personabench.results.reading import read_results
from personamem.dataset_builder.families.personabench.results.records import (
    Results,
    System,
    label_systems,
)
from personamem.loaders.formats.errors import DatasetError


def read(*paths: Path) -> Results:
    return read_results(read_evaluations(paths))[0]


def test_runs_are_sorted_by_system_and_noise(tmp_path: Path) -> None:
    for noise in ("noise_05", "noise_0"):
        write_run(tmp_path / "a", noise=noise)
        write_run(tmp_path / "a", noise=noise, condition="rag", retriever="minilm", k=3)
    write_retrieval(tmp_path)
    found = read(tmp_path / "a", tmp_path / "retrieval.json")
    full, rag = sorted(found.systems, key=lambda system: system.condition)
    assert (full.model, full.condition, full.retrieval) == ("models/tiny", "full", "")
    assert (rag.retrieval, rag.dataset) == ("minilm, k = 3", "data/talks")
    assert [list(runs) for runs in found.systems.values()] == [[0.0, 0.5]] * 2
    run = found.systems[full][0.5]
    assert run.words.group("social").recall == run.items.group("overall").precision == 0.5
    assert run.words.group("overall").f1 == pytest.approx(0.4)
    assert (run.questions, run.of, run.unparsable, run.words.updating) == (8, 8, 0.25, 0.5)
    (retrieval,) = found.retrievals
    assert retrieval.label == "bm25, k = 5, json chunks"
    assert retrieval.scores[0.5]["overall"].recall == 0.4


def test_the_last_run_counts_whatever_the_order_of_files(tmp_path: Path) -> None:
    write_run(tmp_path, noise="noise_0", score=0.9, date=2.0)
    write_run(tmp_path, noise="noise_0", score=0.1, date=10.0)
    (runs,) = read(tmp_path).systems.values()
    assert runs[0.0].words.group("basic").recall == 0.1


def test_groups_that_were_not_asked_are_not_there(tmp_path: Path) -> None:
    path = write_run(tmp_path, noise="noise_0", missing=("social", "social_relation"))
    (runs,) = read(path).systems.values()
    assert "social" not in runs[0.0].words.groups
    assert "social_two_hop" in runs[0.0].words.groups


def test_other_files_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    write_other_task(tmp_path)
    write_json(tmp_path / "config.json", {"a": 1})
    (tmp_path / "notes.json").write_text("{")
    write_run(tmp_path, noise="noise_0")
    assert len(read(tmp_path).systems) == 1


def test_labels_are_as_long_as_it_takes() -> None:
    one = System("models/a", "full", "", "data/x")
    assert list(label_systems([one]).values()) == ["a, full"]
    other = System("models/a", "full", "", "data/y")
    assert list(label_systems([one, other]).values()) == ["a, full, x", "a, full, y"]
    third = System("more/a", "full", "", "data/x")
    assert label_systems([one, third])[third] == "more/a, full, data/x"
    rag = System("models/a", "rag", "bm25, k = 5", "data/x")
    assert label_systems([one, rag])[rag] == "a, rag (bm25, k = 5)"


def test_it_is_told_which_paths_hold_results(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    write_other_task(tmp_path / "other")
    good = write_run(tmp_path / "good", noise="noise_0")
    paths = [tmp_path / "empty", tmp_path / "other", good, write_json(tmp_path / "x.json", [1])]
    assert read_results(read_evaluations(paths))[1] == {good}


def test_damaged_results(tmp_path: Path) -> None:
    path = write_run(tmp_path, noise="noise_0")
    content = json.loads(path.read_text())
    content["results"]["personabench_noise_0"].pop("unparsable,none")
    write_json(path, content)
    with pytest.raises(DatasetError, match=r"results_.*unparsable,none"):
        read(tmp_path)
    path.write_text("{")
    with pytest.raises(DatasetError, match="cannot be read as JSON"):
        read(tmp_path)
    retrieval = write_retrieval(tmp_path / "r")
    write_json(retrieval, {**json.loads(retrieval.read_text()), "noise": {"low": {}}})
    with pytest.raises(DatasetError, match="not as personamem retrieve writes it"):
        read(retrieval)
