"""``personamem page``: what it writes and prints, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from answer_files import make_row, write_run
from site_files import read_data, write_samples
from tiny_dataset import write_ours

from personamem.loaders.formats.manifest import hash_file
from personamem.loaders.personamem.dataset import load_personamem

Call = Callable[..., Any]


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return write_ours(tmp_path / "data")


def test_a_site_is_written_and_its_size_told(call: Call, ours: Path, tmp_path: Path) -> None:
    done = call("page", ours, "--out", tmp_path / "site")
    assert done.code == 0, done.err
    assert f"{tmp_path}/site/index.html: 8 questions over 3 contexts" in done.out
    assert read_data(tmp_path / "site", "index")["title"] == "data"
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.system
def test_all_families_are_on_one_site(
    call: Call, tiny_of_every_family: Path, tmp_path: Path
) -> None:
    assert call("page", tiny_of_every_family, "--out", tmp_path / "all").code == 0
    splits = read_data(tmp_path / "all", "index")["splits"]
    assert len({split["family"] for split in splits}) == 2
    one = splits[-1]["name"]
    assert call("page", tiny_of_every_family, "--split", one, "--out", tmp_path / "one").code == 0
    assert [split["name"] for split in read_data(tmp_path / "one", "index")["splits"]] == [one]


def test_runs_are_named_by_their_folders(call: Call, ours: Path, tmp_path: Path) -> None:
    questions = load_personamem(ours, "4k").questions
    files = [
        write_samples(tmp_path / name, questions, lambda q: 0) for name in ("org__big", "small")
    ]
    done = call(
        "page", ours, "--out", tmp_path / "site", *(w for f in files for w in ("--samples", f))
    )
    assert done.code == 0, done.err
    (split,) = read_data(tmp_path / "site", "index")["splits"]
    assert [run["name"] for run in split["runs"]] == ["big", "small"]


def test_the_audit_beside_a_dataset_is_shown_and_anothers_left_out(
    call: Call, ours: Path, tmp_path: Path
) -> None:
    digest = hash_file(ours / "manifest.json")
    audit = {"source": "", "personamem": "0", "content_sha256": "", "parts": {}}
    for name, sha256, pages in (("own", digest, ["Audit"]), ("other", "0" * 64, [])):
        (ours / "audit.json").write_text(json.dumps({**audit, "manifest_sha256": sha256}))
        done = call("page", ours, "--out", tmp_path / name)
        assert done.code == 0, done.err
        assert ("Left out" in done.err) == (not pages)
        shown = read_data(tmp_path / name, "index")["pages"]
        assert [page["title"] for page in shown] == pages
    done = call("page", ours, "--out", tmp_path / "site", "--audit", ours / "audit.json")
    assert done.code == 2
    assert "is about another dataset" in done.err


def test_results_are_reported_on_the_site(call: Call, ours: Path, tmp_path: Path) -> None:
    write_run(tmp_path / "runs", [make_row(number, "ab"[number % 2]) for number in range(8)])
    done = call("page", ours, "--out", tmp_path / "site", "--results", tmp_path / "runs")
    assert done.code == 0, done.err
    (page,) = read_data(tmp_path / "site", "index")["pages"]
    assert page["tables"][0]["rows"][0][1] == "0.500"
    (tmp_path / "none").mkdir()
    done = call("page", ours, "--out", tmp_path / "other", "--results", tmp_path / "none")
    assert done.code == 2
    assert "holds no results of personamem" in done.err


@pytest.mark.parametrize("name", ["folder", "file"])
def test_what_exists_is_refused_and_stays(
    call: Call, ours: Path, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    if name == "folder":
        out.mkdir()
    else:
        out.write_text("mine")
    done = call("page", ours, "--out", out)
    assert done.code == 2
    assert f"--out {out} exists already. Accepted: a folder that does not exist yet." in done.err
    assert list(out.iterdir()) == [] if name == "folder" else out.read_text() == "mine"


def test_an_unknown_split_is_refused(call: Call, ours: Path, tmp_path: Path) -> None:
    done = call("page", ours, "--split", "5k", "--out", tmp_path / "site")
    assert done.code == 2
    assert "Unknown split" in done.err
    assert "Accepted: 4k." in done.err
    assert not (tmp_path / "site").exists()


def test_no_dataset_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = call("page", tmp_path / "empty", "--out", tmp_path / "site")
    assert done.code == 2
    assert "is not a dataset of any family" in done.err


def test_samples_of_another_dataset_are_refused(call: Call, ours: Path, tmp_path: Path) -> None:
    path = write_samples(tmp_path / "run", load_personamem(ours, "4k").questions, lambda q: 0)
    path.write_text(path.read_text().replace('"q0', '"x0'))
    done = call("page", ours, "--out", tmp_path / "site", "--samples", path)
    assert done.code == 2
    assert f"{path} holds answers to none of the questions" in done.err
    assert not (tmp_path / "site").exists()


def test_samples_that_are_none_are_refused(call: Call, ours: Path, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text('{"doc": {}}\n')
    done = call("page", ours, "--out", tmp_path / "site", "--samples", path)
    assert done.code == 2
    assert "is not a sample of a personamem task" in done.err
