"""The files of open questions."""

import json
from pathlib import Path

import pyarrow.parquet as pq
from datasets import load_dataset

from personamem.loaders.formats.manifest import read_manifest
from personamem.loaders.personabench.schema import (
    DOCUMENTS_SCHEMA,
    NOISE_SPLITS,
    OPEN_QUESTIONS_SCHEMA,
)


def test_files_have_the_agreed_form(dataset: Path) -> None:
    manifest = read_manifest(dataset / "manifest.json")
    for split in NOISE_SPLITS:
        for name, schema in (
            ("documents", DOCUMENTS_SCHEMA),
            ("open_questions", OPEN_QUESTIONS_SCHEMA),
        ):
            table = pq.read_table(dataset / name / f"{split}.parquet")
            assert table.cast(schema).schema == schema
            assert manifest.files[f"{name}/{split}.parquet"].rows == len(table)
    assert manifest.lists("communities.json")


def test_the_people_and_relations_are_listed(dataset: Path) -> None:
    (community,) = json.loads((dataset / "communities.json").read_text("utf-8"))
    assert community["name"] == "community_0"
    names = {person["name"] for person in community["people"]}
    assert len(names) == 10
    assert all(person["persona"] for person in community["people"])
    assert len(community["relations"]) == 22
    for relation in community["relations"]:
        assert {relation["source"], relation["target"]} <= names
        assert set(relation) == {"source", "target", "relationship", "description"}


def test_the_manifest_counts(dataset: Path) -> None:
    record = read_manifest(dataset / "manifest.json").families["personabench"]
    counts = record.model_extra or {}
    assert counts["communities"] == 1
    assert (counts["people"], counts["test_users"]) == (10, 3)
    assert sum(counts["categories"].values()) == counts["questions"]
    signal = record.splits["noise_0"]["sessions"]
    assert abs(signal / record.splits["noise_05"]["sessions"] - 0.5) < 0.01
    assert sum(record.splits["noise_07"]["kinds"].values()) > 3 * signal


def test_datasets_loads_them_by_the_card(dataset: Path) -> None:
    questions = load_dataset(str(dataset), "open_questions", split="noise_05")
    documents = load_dataset(str(dataset), "documents", split="noise_05")
    known = set(documents["session_id"])
    for row in questions:
        assert row["hops"] in (1, 2)
        assert json.loads(row["answer"])
        assert {s for gold in row["gold"] for s in gold["session_ids"]} <= known
    assert set(documents.unique("kind")) == {
        "conversation",
        "user_ai_interaction",
        "purchase_history",
    }
