"""What cannot be loaded: errors name the file, the place, the value and what is accepted."""

import json
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_dataset import rewrite_csv, set_cell

from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import (
    DatasetError,
    DatasetNotFoundError,
    InvalidInputError,
)
from personamem.loaders.formats.schema import BENCHMARK_SCHEMA, CONTEXTS_SCHEMA


def test_an_unknown_split_names_those_that_exist(ours: Path, official: Path) -> None:
    for folder in (ours, official):
        with pytest.raises(InvalidInputError, match=r"Unknown split .*'5k'.* Accepted: 4k\."):
            load_personamem(folder, "5k")


def test_missing_folders(tmp_path: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match=r"nowhere'.*Hub id"):
        load_personamem(tmp_path / "nowhere", "4k")
    with pytest.raises(DatasetNotFoundError, match=r"'nowhere'.*Hub id"):
        load_personamem("nowhere", "4k")
    with pytest.raises(InvalidInputError, match="empty"):
        load_personamem("", "4k")
    with pytest.raises(DatasetError, match=r"neither manifest\.json"):
        load_personamem(tmp_path, "4k")
    (tmp_path / ".data.partial").mkdir()
    with pytest.raises(DatasetNotFoundError, match=r"unfinished build at .*\.data\.partial"):
        load_personamem(tmp_path / "data", "4k")
    with pytest.raises(DatasetError, match="half-written"):
        load_personamem(tmp_path / ".data.partial", "4k")


def test_a_folder_without_its_manifest_is_half_written(ours: Path) -> None:
    (ours / "manifest.json").unlink()
    with pytest.raises(DatasetError, match=r"half-written: it has no manifest\.json"):
        load_personamem(ours, "4k")


def test_a_revision_is_for_hub_ids_only(ours: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"revision='v1\.0\.0' was given for the local"):
        load_personamem(ours, "4k", revision="v1.0.0")
    with pytest.raises(InvalidInputError, match="Two revisions"):
        load_personamem("owner/name@v1", "4k", revision="v2")


@pytest.mark.parametrize("kind", ["benchmark", "contexts", "annotations"])
def test_changed_files_are_found_by_size_and_digest(ours: Path, kind: str) -> None:
    path = ours / kind / "4k.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(DatasetError, match=rf"{kind}/4k\.parquet was changed.*sha256 is"):
        load_personamem(ours, "4k")
    path.write_bytes(content[:-10])
    with pytest.raises(DatasetError, match=rf"{kind}/4k\.parquet was changed.*bytes is"):
        load_personamem(ours, "4k")
    path.unlink()
    with pytest.raises(DatasetError, match=rf"{kind}/4k\.parquet is missing"):
        load_personamem(ours, "4k")


@pytest.mark.parametrize("kind", ["benchmark", "contexts", "annotations"])
def test_row_counts_are_checked(ours: Path, kind: str) -> None:
    path = ours / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["files"][f"{kind}/4k.parquet"]["rows"] += 1
    path.write_text(json.dumps(manifest))
    with pytest.raises(DatasetError, match=rf"{kind}/4k\.parquet was changed.*rows is"):
        load_personamem(ours, "4k")


@pytest.mark.parametrize("text", ["{", "[]", '{"files": {}}', '{"files": {"a": 1}, "splits": {}}'])
def test_a_broken_manifest_is_named(ours: Path, text: str) -> None:
    (ours / "manifest.json").write_text(text)
    with pytest.raises(DatasetError, match=r"manifest\.json"):
        load_personamem(ours, "4k")


def test_a_missing_csv_column_is_named(official: Path) -> None:
    def drop(rows: list[dict[str, str]]) -> None:
        for row in rows:
            del row["topic"], row["user_question_or_message"]

    rewrite_csv(official, drop)
    with pytest.raises(DatasetError, match=r"lacks the columns topic, .*\(or question\)"):
        load_personamem(official, "4k")


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("all_options", "['(a) x'", r"all_options is .*Accepted: a list literal of 4 strings"),
        ("all_options", "__import__('os').getcwd()", "Accepted: a list literal"),
        ("all_options", "['(a) x', '(b) x', '(c) x']", "Accepted: a list literal of 4"),
        ("all_options", "['(a) x', '(c) x', '(b) x', '(d) x']", r"no \(b\)"),
        ("correct_answer", "(e)", r"correct_answer is '\(e\)'\. Accepted"),
        ("correct_answer", "b", "correct_answer is 'b'"),
        ("shared_context_id", "feed", "no context 'feed'"),
        ("end_index_in_shared_context", "0", "end_index_in_shared_context is 0"),
        ("end_index_in_shared_context", "-3", "end_index_in_shared_context is -3"),
        ("end_index_in_shared_context", "many", r"'many'. Accepted: an integer"),
    ],
)
def test_a_bad_cell_is_named_with_file_row_and_question(
    official: Path, column: str, value: str, message: str
) -> None:
    rewrite_csv(official, set_cell(4, column, value))
    with pytest.raises(DatasetError, match=rf"questions_4k\.csv, row 5, question q04.*{message}"):
        load_personamem(official, "4k")


def test_an_end_index_past_the_context_is_named(official: Path) -> None:
    rewrite_csv(official, set_cell(4, "end_index_in_shared_context", "11"))
    data = load_personamem(official, "4k")
    with pytest.raises(DatasetError, match=r"row 5, question q04.* is 11 .*Accepted: 1 to 10"):
        list(data.pairs())


def test_an_end_index_past_a_parquet_context_is_named_at_once(ours: Path, tiny: ModuleType) -> None:
    rows = tiny.make_questions()
    rows[4]["end_index_in_shared_context"] = 11
    pq.write_table(pa.Table.from_pylist(rows, BENCHMARK_SCHEMA), ours / "benchmark/4k.parquet")
    tiny.write_manifest(ours)
    with pytest.raises(DatasetError, match=r"row 5, question q04.* is 11 .*Accepted: 1 to 10"):
        load_personamem(ours, "4k")


def test_options_that_contradict_the_official_columns_are_named(
    ours: Path, tiny: ModuleType
) -> None:
    rows = tiny.make_questions()
    rows[1]["answer_index"] = 3
    pq.write_table(pa.Table.from_pylist(rows, BENCHMARK_SCHEMA), ours / "benchmark/4k.parquet")
    tiny.write_manifest(ours)
    with pytest.raises(DatasetError, match=r"row 2, question q01: answer_index is 3\. Accepted: 1"):
        load_personamem(ours, "4k")


def test_a_wrong_parquet_column_is_named(ours: Path, tiny: ModuleType) -> None:
    path = ours / "contexts/4k.parquet"
    table = pq.read_table(path)
    position = CONTEXTS_SCHEMA.names.index("num_messages")
    wrong = table.set_column(position, "num_messages", pa.array(["10"] * 3))
    for broken, message in (
        (table.drop_columns(["messages"]), "lacks the columns messages"),
        (wrong, "column 'num_messages' is string"),
    ):
        pq.write_table(broken, path)
        tiny.write_manifest(ours)
        with pytest.raises(DatasetError, match=rf"contexts/4k\.parquet.* {message}"):
            load_personamem(ours, "4k")


@pytest.mark.parametrize("name", ["questions_4k.csv", "shared_contexts_4k.jsonl"])
def test_bytes_that_are_not_utf8_are_named(official: Path, name: str) -> None:
    path = official / name
    path.write_bytes(
        path.read_bytes().replace(b"luthier", b"luthi\xe9r").replace(b"fruit", b"\xff")
    )
    with pytest.raises(DatasetError, match=rf"{name} is not UTF-8: byte 0x(e9|ff)"):
        load_personamem(official, "4k")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('["no id"]', "does not start as"),
        ('{"x": [{"role": "user", "content": 1}]}', "message 0: role 'user' with int content"),
        ('{"x": [{"role": "tool", "content": "1"}]}', "role 'tool'"),
        ('{"x": [], "y": []}', "holds 2 contexts"),
        ('{"x": [', "not valid JSON"),
        ('{"x": 3}', "not a list of messages"),
    ],
)
def test_a_broken_context_line_is_named(official: Path, line: str, message: str) -> None:
    with (official / "shared_contexts_4k.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")
    with pytest.raises(DatasetError, match=rf"shared_contexts_4k\.jsonl, line 4.*{message}"):
        load_personamem(official, "4k").context("x")


def test_the_same_context_twice_is_accepted_only_with_the_same_messages(official: Path) -> None:
    path = official / "shared_contexts_4k.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[0], ""]), encoding="utf-8")
    assert len(load_personamem(official, "4k").context_ids) == 3
    path.write_text("\n".join([*lines, lines[0].replace("jam", "tea")]), encoding="utf-8")
    with pytest.raises(DatasetError, match=r"line 4: context c+0 occurs twice .*line 1"):
        load_personamem(official, "4k")


def test_an_unknown_context_is_named(ours: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"Unknown context .*'x'"):
        load_personamem(ours, "4k").context("x")
