"""Whole datasets: the same bytes however they are made, and readable in every promised way."""

import ast
import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats import schema
from personamem.loaders.formats.manifest import hash_file


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hash_file(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def ends_within(seconds: float, group: int) -> bool:
    """Return whether a group of processes is gone by then; kill what is left."""
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.05)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return True
    return False


def test_workers_and_kills_change_no_byte(tiny_of_every_family: Path, tmp_path: Path) -> None:
    out = tmp_path / "made" / "again"
    config = tmp_path / "config.json"
    manifest = json.loads((tiny_of_every_family / "manifest.json").read_bytes())
    config.write_text(json.dumps({"families": manifest["config"]["families"]}))
    command = [sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()"]
    command += ["build", "--config", str(config), "--out", str(out), "--workers", "2"]
    process = subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"4k:")
    process.kill()
    process.wait()
    assert ends_within(seconds=20, group=process.pid)
    process.stderr.close()
    assert not out.exists()
    assert out.with_name(".again.partial").is_dir()
    subprocess.run(command, check=True, capture_output=True)
    assert hashes(out) == hashes(tiny_of_every_family)
    assert sorted(path.name for path in out.parent.iterdir()) == [".again.lock", "again"]


def test_another_seed_gives_other_files(dataset: Path, tmp_path: Path) -> None:
    config = make_config(seed=1, families={"personamem": {"sizes": ("4k",), "personas": 8}})
    build_dataset(config, tmp_path / "d", workers=1)
    assert hashes(tmp_path / "d")["questions_4k.csv"] != hashes(dataset)["questions_4k.csv"]


def test_the_manifest_hashes_every_file(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    found = hashes(dataset)
    listed = {name: entry["sha256"] for name, entry in manifest["files"].items()}
    unlisted = set(found) - set(listed)
    assert unlisted == {"manifest.json", "README.md"}
    assert all(found[name] == digest for name, digest in listed.items())
    family = manifest["families"]["personamem"]
    questions = family["splits"]["32k"]["questions"]
    assert questions == manifest["files"]["questions_32k.csv"]["rows"]
    assert questions == family["checks"]["32k"]["solver_agrees"]


@pytest.mark.parametrize("split", ["4k", "32k"])
def test_datasets_loads_benchmark_and_streams_contexts(dataset: Path, split: str) -> None:
    benchmark = datasets.load_dataset(str(dataset), "benchmark", split=split)
    assert benchmark.column_names == schema.BENCHMARK_SCHEMA.names
    default = datasets.load_dataset(str(dataset), split=split)
    assert default[0] == benchmark[0]
    contexts = datasets.load_dataset(str(dataset), "contexts", split=split, streaming=True)
    first = next(iter(contexts))
    assert first["messages"][0]["role"] == "system"
    annotations = datasets.load_dataset(str(dataset), "annotations", split=split)
    assert annotations["question_id"] == benchmark["question_id"]


@pytest.mark.parametrize("split", ["4k", "32k"])
def test_csv_and_jsonl_equal_parquet_row_by_row(dataset: Path, split: str) -> None:
    rows = pq.read_table(dataset / "benchmark" / f"{split}.parquet").to_pylist()
    with (dataset / f"questions_{split}.csv").open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        assert tuple(reader.fieldnames or ()) == schema.OFFICIAL_COLUMNS
        for row, line in zip(rows, reader, strict=True):
            assert line == {name: str(row[name]) for name in schema.OFFICIAL_COLUMNS}
    contexts = pq.read_table(dataset / "contexts" / f"{split}.parquet").to_pylist()
    with (dataset / f"shared_contexts_{split}.jsonl").open(encoding="utf-8") as lines:
        for row, line in zip(contexts, lines, strict=True):
            assert json.loads(line) == {row["shared_context_id"]: row["messages"]}


def test_the_official_reading_recipe_works_unchanged(dataset: Path) -> None:
    contexts = {}
    with (dataset / "shared_contexts_4k.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            contexts.update(json.loads(line))
    with (dataset / "questions_4k.csv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            options = ast.literal_eval(row["all_options"])
            assert json.loads(row["all_options"]) == options
            assert [option[:4] for option in options] == ["(a) ", "(b) ", "(c) ", "(d) "]
            context = contexts[row["shared_context_id"]]
            seen = context[: int(row["end_index_in_shared_context"])]
            assert seen[-1]["role"] == "assistant"
            assert row["correct_answer"] in ("(a)", "(b)", "(c)", "(d)")


@pytest.mark.parametrize("split", ["4k", "32k"])
def test_every_quad_is_balanced(dataset: Path, split: str) -> None:
    rows = pq.read_table(dataset / "benchmark" / f"{split}.parquet").to_pylist()
    notes = pq.read_table(dataset / "annotations" / f"{split}.parquet").to_pylist()
    quads = defaultdict(list)
    for row, note in zip(rows, notes, strict=True):
        assert row["question_id"] == note["question_id"]
        quads[note["quad_id"]].append(row)
    for quad in quads.values():
        assert len({row["persona_id"] for row in quad}) == 4
        assert len({row["shared_context_id"] for row in quad}) == 4
        assert len({(row["user_question_or_message"], row["all_options"]) for row in quad}) == 1
        assert {row["correct_answer"] for row in quad} == {"(a)", "(b)", "(c)", "(d)"}


@pytest.mark.parametrize("split", ["4k", "32k"])
def test_columns_are_true_of_the_context(dataset: Path, split: str) -> None:
    rows = pq.read_table(dataset / "benchmark" / f"{split}.parquet").to_pylist()
    notes = pq.read_table(dataset / "annotations" / f"{split}.parquet").to_pylist()
    contexts = {
        row["shared_context_id"]: row
        for row in pq.read_table(dataset / "contexts" / f"{split}.parquet").to_pylist()
    }
    for row, note in zip(rows, notes, strict=True):
        context = contexts[row["shared_context_id"]]
        end = row["end_index_in_shared_context"]
        assert row["persona_id"] == context["persona_id"]
        assert end in [*context["session_starts"][1:], len(context["messages"])]
        letters = sum(len(message["content"]) for message in context["messages"][:end])
        assert row["context_length_in_letters"] == letters
        assert 0 <= row["distance_to_ref_in_tokens"] < row["context_length_in_tokens"]
        assert 0 <= row["num_irrelevant_tokens"] < row["context_length_in_tokens"]
        evidence = note["evidence_message_indices"]
        assert evidence
        assert max(evidence) < end
        assert set(evidence) <= set(note["related_message_indices"])
        later = sum(start > max(evidence) for start in context["session_starts"] if start < end)
        assert row["distance_to_ref_in_blocks"] == later
        share = row["distance_to_ref_in_tokens"] / row["context_length_in_tokens"]
        assert row["distance_to_ref_proportion_in_context"] == f"{100 * share:.2f}%"


def test_pairs_have_the_same_wording_and_another_gold(dataset: Path) -> None:
    rows = pq.read_table(dataset / "benchmark" / "32k.parquet").to_pylist()
    notes = pq.read_table(dataset / "annotations" / "32k.parquet").to_pylist()
    pairs = defaultdict(dict)
    for row, note in zip(rows, notes, strict=True):
        if note["pair_id"]:
            pairs[note["pair_id"]][note["pair_position"]] = row
    assert {row["persona_id"] for pair in pairs.values() for row in pair.values()} == {
        row["persona_id"] for row in rows
    }
    for pair in pairs.values():
        before, after = pair["before"], pair["after"]
        assert before["user_question_or_message"] == after["user_question_or_message"]
        assert before["all_options"] == after["all_options"]
        assert before["correct_answer"] != after["correct_answer"]
        assert before["shared_context_id"] == after["shared_context_id"]
        assert before["end_index_in_shared_context"] < after["end_index_in_shared_context"]


def test_rows_are_shuffled(dataset: Path) -> None:
    notes = pq.read_table(dataset / "annotations" / "32k.parquet").to_pylist()
    quad_ids = [note["quad_id"] for note in notes]
    assert quad_ids != sorted(quad_ids)
    neighbours = sum(a == b for a, b in pairwise(quad_ids))
    assert neighbours < len(quad_ids) / 8


def test_a_build_is_quick_to_refuse_a_folder_in_use(dataset: Path) -> None:
    started = time.monotonic()
    with pytest.raises(ValueError, match="not empty"):
        build_dataset(make_config(), dataset)
    assert time.monotonic() - started < 2


def test_the_bytes_of_a_seed_do_not_move(tmp_path: Path) -> None:
    """Text files depend on no other package but the tokenizer: the same on every machine.

    A change of content or code that moves them is a new version of every dataset. If that is meant,
    name it in CHANGELOG.md and put the new hashes here.
    """
    section = {"sizes": ("4k",), "personas": 4}
    build_dataset(make_config(families={"personamem": section}), tmp_path / "d", workers=1)
    found = hashes(tmp_path / "d")
    assert {name: found[name] for name in GOLDEN} == GOLDEN


GOLDEN = {
    "questions_4k.csv": "e1f40f484c37f89ebbf4807cb2e6b3e9886457dbb6dadad81e22b178e08142a8",
    "shared_contexts_4k.jsonl": "3ca1be59ff1caa187d5055fa027cab41c79cb93176822ea01f19bf114c7298a2",
}
