"""Files that were changed on purpose, with a manifest that agrees: the audit tells."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.families.personabench.audit.findings import judge_communities
from personamem.dataset_builder.families.personabench.config import PersonaBenchConfig
from personamem.dataset_builder.families.personabench.rows import OpenTables, make_tables

Communities = list[dict[str, Any]]


@pytest.fixture
def copied(dataset: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(dataset, tmp_path / "copy"))


def failed(folder: Path) -> set[str]:
    audited = AuditSource(folder).audit_part("communities", ["communities"])
    return {finding.check for finding in audited.failures}


def state(folder: Path, name: str) -> None:
    """Have the manifest state a file as it is now."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    data = (folder / name).read_bytes()
    entry = manifest["files"][name]
    entry |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    if name.endswith(".parquet"):
        entry["rows"] = pq.read_metadata(folder / name).num_rows
    path.write_text(json.dumps(manifest), "utf-8")


def name_nobody(communities: Communities) -> None:
    communities[0]["relations"][0]["source"] = "Nobody"


def relate_to_oneself(communities: Communities) -> None:
    edge = communities[0]["relations"][0]
    edge["source"] = edge["target"]


def rename_a_person(communities: Communities) -> None:
    communities[0]["people"][-1]["name"] = "Somebody Else"


def swap_two_names(communities: Communities) -> None:
    first, second = communities[0]["people"][-2:]
    first["name"], second["name"] = second["name"], first["name"]


def lose_the_people(communities: Communities) -> None:
    communities[0]["people"] = []


def repeat_a_community(communities: Communities) -> None:
    communities.append(communities[0])


def change_a_description(communities: Communities) -> None:
    communities[0]["relations"][0]["description"] += " Or so."


@pytest.mark.parametrize(
    ("change", "readable"),
    [
        (name_nobody, False),
        (relate_to_oneself, True),
        (rename_a_person, False),
        (swap_two_names, True),
        (lose_the_people, False),
        (repeat_a_community, False),
        (change_a_description, True),
    ],
)
def test_other_people_or_relations_are_found(
    change: Callable[[Communities], None], readable: bool, copied: Path
) -> None:
    path = copied / "communities.json"
    communities = json.loads(path.read_text("utf-8"))
    change(communities)
    path.write_text(json.dumps(communities), "utf-8")
    state(copied, path.name)
    found = failed(copied)
    assert "people are the world's" in found
    assert ("readable rows" in found) is not readable


def test_communities_that_are_null_are_found(copied: Path) -> None:
    (copied / "communities.json").write_text("null\n", "utf-8")
    state(copied, "communities.json")
    assert failed(copied) >= {"readable rows", "people are the world's", "manifest"}


def test_a_session_that_stands_twice_is_found(copied: Path) -> None:
    name = "documents/noise_03.parquet"
    table = pq.read_table(copied / name)
    pq.write_table(pa.concat_tables([table, table.slice(0, 1)]), copied / name)
    state(copied, name)
    assert failed(copied) >= {"readable rows", "ids"}


def test_ids_are_checked_at_every_level() -> None:
    one = make_tables(0, 1)
    documents = {name: list(rows) for name, rows in one.documents.items()}
    documents["noise_03"].append(documents["noise_03"][0])
    tables = OpenTables(one.communities, documents, one.questions)
    found = judge_communities(PersonaBenchConfig(communities=1, seed=0), tables)
    (ids,) = (finding for finding in found if finding.check == "ids")
    assert ids.passed is False


def test_a_null_is_a_finding(copied: Path) -> None:
    name = "open_questions/noise_05.parquet"
    table = pq.read_table(copied / name)
    rows = table.to_pylist()
    rows[0]["question"] = None
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), copied / name)
    state(copied, name)
    assert "readable rows" in failed(copied)


@pytest.mark.parametrize(
    ("key", "value"),
    [("questions", 999_999), ("people", -3), ("invented", 1), ("checks", {"answers_found": 7})],
)
def test_facts_of_the_manifest_that_do_not_hold_are_found(
    key: str, value: object, copied: Path
) -> None:
    path = copied / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    manifest["families"]["personabench"][key] = value
    path.write_text(json.dumps(manifest), "utf-8")
    assert failed(copied) == {"manifest"}
