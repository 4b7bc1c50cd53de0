"""Files of open questions that are damaged, hostile or lie elsewhere: one error that names them."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_communities import edit_rows, write_communities, write_manifest

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.personabench import load_personabench

QUESTIONS, DOCUMENTS = "open_questions/noise_05.parquet", "documents/noise_05.parquet"
GRAPH = "graph_json/social_graph.json"
CHATS = "private_data/noise_0.5/user_ai_interaction_data_all.json"


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    return write_communities(tmp_path / "ours")


def read_all(folder: Path) -> None:
    benchmark = load_personabench(folder)
    for noise in benchmark.noises:
        benchmark.archives(noise)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (QUESTIONS, lambda row: row["gold"][0].update(value=None), "gold[0].value is None"),
        (QUESTIONS, lambda row: row["gold"].append(None), "gold[1] is None. Accepted: value, "),
        (QUESTIONS, lambda row: row["gold"].append(row["gold"][0]), "each once"),
        (QUESTIONS, lambda row: row["gold"][0].update(session_ids=None), "session_ids is None"),
        (QUESTIONS, lambda row: row["gold"][0].update(session_ids=[None]), "session_ids[0] is"),
        (QUESTIONS, lambda row: row.update(gold=None), "gold is None. Accepted: a list"),
        (QUESTIONS, lambda row: row.update(hops=None), "hops is None. Accepted: an integer"),
        (QUESTIONS, lambda row: row.update(answer=None), "answer is None. Accepted: a text"),
        (QUESTIONS, lambda row: row.update(answer="9" * 5_000), "4300 digits"),
        (QUESTIONS, lambda row: row.update(answer="[" * 100_000), "nested too deeply"),
        (QUESTIONS, lambda row: row.update(answer='"\\ud800"'), "half of a surrogate pair"),
        (QUESTIONS, lambda row: row.update(outdated_values="NaN"), "NaN is no JSON value"),
        (DOCUMENTS, lambda row: row["messages"].append(None), "messages[2] is None"),
        (DOCUMENTS, lambda row: row["messages"][0].update(role=None), "messages[0].role is None"),
        (DOCUMENTS, lambda row: row.update(messages=None), "messages is None. Accepted: a list"),
        (DOCUMENTS, lambda row: row.update(person=None), "person is None. Accepted: a text"),
    ],
)
def test_a_value_that_does_not_hold_is_named(
    ours: Path, name: str, change: Callable[[Any], object], message: str
) -> None:
    edit_rows(ours / name, lambda rows: change(rows[0]))
    with pytest.raises(DatasetError) as caught:
        read_all(ours)
    assert f"{ours / name}, row 1" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize("name", [QUESTIONS, DOCUMENTS])
@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(90) + b"PAR1", b"\xff" * 400])
def test_a_table_that_is_no_parquet_is_named(ours: Path, name: str, content: bytes) -> None:
    manifest = ours / "manifest.json"
    record = json.loads(manifest.read_text())
    (ours / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    record["files"][name] = {"sha256": digest, "bytes": len(content), "rows": 13}
    manifest.write_text(json.dumps(record))
    with pytest.raises(DatasetError, match=rf"{name} cannot be read as Parquet"):
        read_all(ours)


def test_a_time_beyond_the_calendar_is_named(ours: Path) -> None:
    table = pq.read_table(ours / DOCUMENTS)
    position = table.schema.get_field_index("time")
    times = pa.array([2**55] * len(table), pa.int64()).cast(pa.timestamp("ms"))
    pq.write_table(table.set_column(position, "time", times), ours / DOCUMENTS)
    write_manifest(ours)
    with pytest.raises(DatasetError, match=rf"{DOCUMENTS} cannot be read as Parquet"):
        read_all(ours)


@pytest.mark.parametrize(
    "text", ["null", "{}", "[" * 100_000, "9" * 5_000, '["\\ud800"]', "[NaN]", '[{"a":1,"a":2}]']
)
def test_communities_that_are_no_list_of_them_are_named(ours: Path, text: str) -> None:
    (ours / "communities.json").write_text(text)
    write_manifest(ours)
    with pytest.raises(DatasetError, match=r"communities\.json"):
        read_all(ours)


@pytest.mark.parametrize("name", ["communities.json", QUESTIONS, DOCUMENTS])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_what_is_no_file_of_the_folder_is_refused(
    ours: Path, tmp_path: Path, name: str, kind: str
) -> None:
    _replace(ours / name, kind, tmp_path / "elsewhere")
    with pytest.raises(DatasetError) as caught:
        read_all(ours)
    assert str(ours / name) in str(caught.value)


@pytest.mark.parametrize("name", [GRAPH, CHATS])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_the_official_files_are_regular_ones_too(
    release: Path, community: Path, tmp_path: Path, name: str, kind: str
) -> None:
    _replace(community / name, kind, tmp_path / "elsewhere")
    with pytest.raises(DatasetError) as caught:
        read_all(release)
    assert str(community / name) in str(caught.value)


def test_an_official_community_that_lies_elsewhere_is_refused(
    release: Path, community: Path, tmp_path: Path
) -> None:
    community.rename(tmp_path / "elsewhere")
    community.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DatasetError, match="outside of the dataset"):
        read_all(release)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5_000, '["\\ud800"]', "NaN"])
def test_official_files_are_strict_json(release: Path, community: Path, text: str) -> None:
    (community / GRAPH).write_text(text)
    with pytest.raises(DatasetError, match=r"social_graph\.json is not valid UTF-8 JSON"):
        read_all(release)


def _replace(path: Path, kind: str, elsewhere: Path) -> None:
    if kind == "link":
        path.rename(elsewhere)
        path.symlink_to(elsewhere)
        return
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
