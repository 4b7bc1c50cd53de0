"""The command ``retrieve``."""

import json
import subprocess
from pathlib import Path

import pytest
from calling import call
from tiny_communities import write_communities
from tiny_release import COMMUNITY, NOISES, edit_json, write_release


def retrieve(*arguments: object, cache: Path) -> "subprocess.CompletedProcess[str]":
    return call("retrieve", *arguments, env={"XDG_CACHE_HOME": str(cache)})


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path)


def rows_of(table: str) -> dict[str, list[str]]:
    cells = (line.strip("│").split("│") for line in table.splitlines() if line.startswith("│"))
    return {name.strip(): [cell.strip() for cell in rest] for name, *rest in cells}


def test_a_table_to_three_decimals_for_every_noise_level(release: Path, tmp_path: Path) -> None:
    report = tmp_path / "new" / "folder" / "report.json"
    done = retrieve(release, "--retriever", "oracle", "--k", 2, "--json", report, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "oracle, k = 2, json chunks" in done.stdout
    assert "recall 0.5" in done.stdout
    rows = rows_of(done.stdout)
    assert rows["basic"] == ["3", "1.000", "1.000", "1.000", "1.000"]
    assert rows["preference hard"] == ["2", "0.750", "1.000", "0.750", "1.000"]
    assert rows["overall"][0] == "9"
    assert rows["overall with subjective"][0] == "10"
    figures = json.loads(report.read_text("utf-8"))
    assert (figures["retriever"], figures["k"], figures["chunks"]) == ("oracle", 2, "json")
    assert list(figures["noise"]) == ["0.0", "0.5"]
    scores = figures["noise"]["0.5"]["preference_hard"]
    assert scores == {"questions": 2, "recall": 0.75, "ndcg": pytest.approx(1.0)}


def test_noise_and_form_of_chunks_are_chosen(release: Path, tmp_path: Path) -> None:
    community = release / COMMUNITY
    question = "Which categories?"
    edit_json(
        community / "eval_info/eval_info_all.json",
        lambda content: content[0]["Eval_Info"]["qa"][0].update(question=question),
    )
    for noise in NOISES:
        edit_json(
            community / f"eval_info/qa_gt_context_all_noise_{noise}.json",
            lambda content: content[0].update(question=question),
        )
    arguments = (release, "--retriever", "bm25", "--k", 1, "--noise", "0.50")
    as_json = retrieve(*arguments, cache=tmp_path)
    assert as_json.returncode == 0, as_json.stderr
    assert "recall 0.0" not in as_json.stdout
    plain = retrieve(*arguments, "--chunks", "plain", cache=tmp_path)
    assert "plain chunks" in plain.stdout
    # The word is a key of the JSON form alone; with no word in common the first session wins.
    assert rows_of(as_json.stdout)["basic"][1] == "0.000"
    assert rows_of(plain.stdout)["basic"][1] == "0.333"


def test_k_above_the_corpus_retrieves_all_and_says_so(release: Path, tmp_path: Path) -> None:
    done = retrieve(release, "--retriever", "random", "--k", 6, "--noise", 0.5, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "k is 6, but Omar Said has only 5 sessions at noise 0.5" in done.stderr
    assert "Ilse Brandt" not in done.stderr.split("note:")[-1]


@pytest.mark.model
def test_embedding_shows_progress_and_happens_once(release: Path, tmp_path: Path) -> None:
    arguments = (release, "--retriever", "minilm", "--k", 3, "--noise", 0.0)
    first = retrieve(*arguments, cache=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "noise 0.0, Ilse Brandt: 13 of 13 new texts embedded" in first.stderr
    assert "Loading weights" not in first.stderr
    (cached,) = (tmp_path / "personamem/embeddings").iterdir()
    assert cached.suffix == ".sqlite"
    second = retrieve(*arguments, cache=tmp_path)
    assert second.stdout == first.stdout
    assert "embedded" not in second.stderr


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["--retriever", "bm26"], ["'bm26'", "Did you mean 'bm25'", "oracle", "folder of a model"]),
        (["--retriever", "no/such/model"], ["no/such/model", "Accepted: bm25"]),
        (["--retriever", "."], ["no modules.json", "Accepted"]),
        (["--retriever", "bm25", "--noise", "0.4"], ["0.4", "Accepted: 0.0, 0.5"]),
        (["--retriever", "bm25", "--noise", "low"], ["'low'", "Accepted: 0.0, 0.5"]),
        (["--retriever", "bm25", "--k", "0"], ["--k", "1"]),
        (["--retriever", "bm25", "--chunks", "xml"], ["'xml'", "Accepted: json, plain"]),
        ([], ["--retriever"]),
    ],
)
def test_bad_input_is_one_error(
    release: Path, tmp_path: Path, arguments: list[str], parts: list[str]
) -> None:
    done = retrieve(release, *arguments, cache=tmp_path)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    text = " ".join(done.stderr.replace("│", " ").split())
    for part in parts:
        assert part in text, text


def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    release: Path, tmp_path: Path
) -> None:
    done = retrieve(release, "--retriever", "bm25", "--json", tmp_path, cache=tmp_path)
    assert done.returncode == 2
    assert "is a folder. Accepted: the name of a file" in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_a_source_that_is_no_release(tmp_path: Path) -> None:
    done = retrieve(tmp_path, "--retriever", "bm25", cache=tmp_path)
    assert done.returncode == 2
    assert "not a PersonaBench release" in done.stderr
    assert str(tmp_path) in done.stderr


def test_a_dataset_of_ours_is_read_as_well(tmp_path: Path) -> None:
    source = write_communities(tmp_path / "talks")
    done = retrieve(source, "--retriever", "oracle", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert rows_of(done.stdout)["social two hop"] == ["1", *["1.000"] * 4]
    assert rows_of(done.stdout)["overall"] == ["8", *["1.000"] * 4]
    bm25 = retrieve(source, "--retriever", "bm25", "--k", 1, "--noise", "0.5", cache=tmp_path)
    assert rows_of(bm25.stdout)["overall"][1] != "1.000"
