"""Files that are damaged, whatever their hashes say: one error that names the file."""

import hashlib
import json
import struct
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_dataset import rewrite_csv, set_cell, write_manifest
from version2_release import Row, change_rows, write_release

from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import DatasetError, PersonamemError
from personamem.loaders.formats.schema import CONTEXTS_SCHEMA

KINDS = ("benchmark", "contexts", "annotations")
BROKEN = {
    "an empty file": b"",
    "a file of four bytes": b"PAR1",
    "no metadata": b"PAR1" + bytes(90) + b"PAR1",
    "metadata without end": b"PAR1" + struct.pack("<I", 2**31 - 1) + b"PAR1",
    "noise": Random(3).randbytes(4_000),
}


def rehash(folder: Path, name: str) -> None:
    """Put the right size and hash of a file into the manifest, but keep its number of rows."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    content = (folder / name).read_bytes()
    entry = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    manifest["files"][name].update(entry)
    path.write_text(json.dumps(manifest))


def load_all(folder: Path, split: str = "4k") -> None:
    list(load_personamem(folder, split).pairs())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", BROKEN)
def test_what_is_no_parquet_is_named(ours: Path, kind: str, damage: str) -> None:
    name = f"{kind}/4k.parquet"
    (ours / name).write_bytes(BROKEN[damage])
    rehash(ours, name)
    with pytest.raises(DatasetError, match=rf"{kind}/4k\.parquet cannot be read as Parquet"):
        load_all(ours)


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_page_is_named(ours: Path, kind: str) -> None:
    name = f"{kind}/4k.parquet"
    metadata = pq.read_metadata(ours / name)
    column = metadata.row_group(0).column(metadata.num_columns - 1)
    content = bytearray((ours / name).read_bytes())
    start = column.data_page_offset
    content[start : start + 24] = bytes(24)
    (ours / name).write_bytes(content)
    rehash(ours, name)
    with pytest.raises(DatasetError, match=rf"{kind}/4k\.parquet"):
        load_all(ours)


def test_text_in_parquet_that_is_not_utf8_is_named(ours: Path) -> None:
    path = ours / "contexts/4k.parquet"
    path.write_bytes(_store_uncompressed(path).replace(b"luthier", b"luthi\xe9r"))
    write_manifest(ours)
    with pytest.raises(
        DatasetError, match=r"contexts/4k\.parquet cannot be read as Parquet.*utf-8"
    ):
        load_all(ours)


def test_a_column_twice_is_named(ours: Path) -> None:
    path = ours / "contexts/4k.parquet"
    table = pq.read_table(path)
    pq.write_table(table.append_column("persona_id", table["persona_id"]), path)
    write_manifest(ours)
    with pytest.raises(DatasetError, match=r"contexts/4k\.parquet: column 'persona_id' occurs tw"):
        load_all(ours)


MANIFESTS = {
    "a long number": '{"seed": ' + "9" * 5_000 + "}",
    "no end of nesting": "[" * 100_000,
    "objects without end": '{"a":' * 100_000,
    "NaN": '{"seed": NaN}',
    "a name twice": '{"files": {}, "files": {}}',
    "half of a surrogate pair": '{"name": "\\ud800"}',
    "nothing": "",
    "null": "null",
    "a number": "17",
    "another encoding": "{\x00}\x00",
}


@pytest.mark.parametrize("damage", MANIFESTS)
def test_a_manifest_that_is_none_is_named(ours: Path, damage: str) -> None:
    (ours / "manifest.json").write_text(MANIFESTS[damage])
    with pytest.raises(DatasetError, match=r"manifest\.json"):
        load_all(ours)


LINES = {
    "a long number": '{"x": [' + "9" * 5_000 + "]}",
    "no end of nesting": '{"x": ' + "[" * 100_000 + "}",
    "half of a surrogate pair": '{"x": [{"role": "user", "content": "\\ud800"}]}',
    "an id that is no text": '{"\\x": []}',
    "an id with a line break": '{"a\x01b": []}',
    "an id twice": '{"x": [], "x": []}',
    "a name twice": '{"x": [{"role": "user", "role": "user", "content": ""}]}',
    "NaN": '{"x": NaN}',
}


@pytest.mark.parametrize("damage", LINES)
def test_a_line_that_is_no_context_is_named(official: Path, damage: str) -> None:
    with (official / "shared_contexts_4k.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(LINES[damage] + "\n")
    with pytest.raises(DatasetError, match=r"shared_contexts_4k\.jsonl, line 4"):
        load_personamem(official, "4k").context("x")


CELLS = {
    "an integer of 5,000 digits": ("persona_id", "9" * 5_000),
    "an integer of 5,000 digits with a point": ("persona_id", "9" * 5_000 + ".0"),
    "options without end": ("all_options", "[" * 100_000),
    "minus signs without end": ("all_options", "-" * 100_000 + "1"),
    "a long number among the options": ("all_options", "[" + "9" * 5_000 + "]"),
    "half of a surrogate pair": ("all_options", "['(a) \\ud800', '(b) x', '(c) x', '(d) x']"),
}


@pytest.mark.parametrize("damage", CELLS)
def test_a_cell_of_that_kind_is_named(official: Path, damage: str) -> None:
    rewrite_csv(official, set_cell(4, *CELLS[damage]))
    with pytest.raises(DatasetError, match=r"questions_4k\.csv, row 5, question q04"):
        load_all(official)


def test_an_option_with_a_backslash_warns_of_nothing(
    official: Path, recwarn: pytest.WarningsRecorder
) -> None:
    options = r"['(a) \d', '(b) x', '(c) x', '(d) x']"
    rewrite_csv(official, set_cell(4, "all_options", options))
    assert load_personamem(official, "4k").questions[4].options[0] == r"\d"
    assert not recwarn.list


@pytest.mark.parametrize("text", [",", '"', "a,b\n1,2,3\n", "\0\n", "a,a\n1,2\n", ""])
def test_what_is_no_csv_of_questions_is_named(official: Path, text: str) -> None:
    (official / "questions_4k.csv").write_text(text)
    with pytest.raises(DatasetError, match=r"questions_4k\.csv"):
        load_all(official)


def test_a_row_with_too_many_cells_is_named(official: Path) -> None:
    path = official / "questions_4k.csv"
    path.write_text(path.read_text("utf-8").rstrip("\n") + ",more\n", "utf-8")
    with pytest.raises(DatasetError, match=r"row 8 has more cells than the 15 columns"):
        load_all(official)


HISTORIES = {
    "a long number": "9" * 5_000,
    "no end of nesting": "[" * 100_000,
    "half of a surrogate pair": '{"chat_history": [{"role": "user", "content": "\\udfff"}]}',
    "another encoding": "\x00",
}


@pytest.mark.parametrize("damage", HISTORIES)
def test_a_history_of_the_second_release_is_named(tmp_path: Path, damage: str) -> None:
    release = write_release(tmp_path / "release", rows=8)
    (release / "data/chat_history_32k/persona_2.json").write_text(HISTORIES[damage])
    with pytest.raises(DatasetError, match=r"persona_2\.json"):
        load_all(release, "32k")


@pytest.mark.parametrize("link", ["x" * 300, "/dev/zero", "../x", "data", "a\x07b"])
def test_a_link_of_the_second_release_is_named(tmp_path: Path, link: str) -> None:
    release = write_release(tmp_path / "release", rows=8)

    def change(rows: list[Row]) -> None:
        rows[3]["chat_history_32k_link"] = link

    change_rows(release, change)
    with pytest.raises(PersonamemError, match=r"benchmark\.csv links to a file: "):
        load_all(release, "32k")


def _store_uncompressed(path: Path) -> bytes:
    table = pa.Table.from_pylist(pq.read_table(path).to_pylist(), CONTEXTS_SCHEMA)
    pq.write_table(table, path, compression="none", use_dictionary=False)
    return path.read_bytes()
