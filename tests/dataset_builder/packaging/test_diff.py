"""What changed between two versions: counted by hand on edited copies, and over HTTP."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from personamem.dataset_builder.cli.app import app
from personamem.dataset_builder.packaging import diff
from personamem.dataset_builder.packaging.diff import compare_datasets
from personamem.loaders.formats.errors import DatasetError, DatasetNotFoundError
from personamem.loaders.formats.manifest import hash_file

Edit = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture
def edited(tiny_dataset: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "edited"
    shutil.copytree(tiny_dataset, folder)
    return folder


def edit_table(folder: Path, name: str, edit: Edit) -> None:
    """Rewrite a table, and its hash in the manifest."""
    table = pq.read_table(folder / name)
    rows = edit(table.to_pylist())
    pq.write_table(pa.Table.from_pylist(rows), folder / name)
    edit_manifest(folder, lambda manifest: rehash(manifest, folder, name))


def rehash(manifest: dict[str, Any], folder: Path, name: str) -> None:
    manifest["files"][name]["sha256"] = hash_file(folder / name)


def edit_manifest(folder: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    edit(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_a_dataset_does_not_differ_from_itself(
    tiny_dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diff.pq, "ParquetFile", pytest.fail)
    found = compare_datasets(str(tiny_dataset), str(tiny_dataset))
    assert found.is_empty
    assert found.splits[0].tables == {}
    assert found.splits[0].questions == (28, 28)


def test_questions_are_compared_by_id_and_column(tiny_dataset: Path, edited: Path) -> None:
    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows[3]["options"][0] += " indeed"
        rows[4]["options"][1] += " indeed"
        rows[4]["topic"] = "therapy too"
        rows[5]["question_id"] = "new"
        return [*rows[7:], *rows[:7]]

    edit_table(edited, "benchmark/4k.parquet", change)
    ids = [row["question_id"] for row in read(tiny_dataset, "benchmark/4k.parquet")]
    found = compare_datasets(str(tiny_dataset), str(edited))
    assert found.files == {"benchmark/4k.parquet": "changed"}
    (split,) = found.splits
    assert list(split.tables) == ["benchmark"]
    rows = split.tables["benchmark"]
    assert (rows.added, rows.removed) == (("new",), (ids[5],))
    assert rows.changed == {ids[3]: ("options",), ids[4]: ("topic", "options")}
    assert rows.count_columns() == {"options": 2, "topic": 1}


def test_an_order_of_rows_is_no_change_of_a_question(tiny_dataset: Path, edited: Path) -> None:
    edit_table(edited, "benchmark/4k.parquet", lambda rows: rows[::-1])
    rows = compare_datasets(str(tiny_dataset), str(edited)).splits[0].tables["benchmark"]
    assert (rows.added, rows.removed, rows.changed) == ((), (), {})


def test_a_column_more_is_a_change_of_every_row(tiny_dataset: Path, edited: Path) -> None:
    edit_table(edited, "annotations/4k.parquet", lambda rows: [{**row, "more": 1} for row in rows])
    rows = compare_datasets(str(tiny_dataset), str(edited)).splits[0].tables["annotations"]
    assert len(rows.changed) == 28
    assert rows.count_columns() == {"more": 28}


def test_messages_are_read_only_of_contexts_in_both(
    tiny_dataset: Path, edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows[0]["shared_context_id"] = "new"
        rows[1]["num_tokens"] += 1
        return rows

    edit_table(edited, "contexts/4k.parquet", change)
    read_columns: list[list[str]] = []
    original = pq.ParquetFile.iter_batches

    def watch(self: Any, *args: Any, **options: Any) -> Any:
        read_columns.append(options["columns"])
        return original(self, *args, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watch)
    rows = compare_datasets(str(tiny_dataset), str(edited)).splits[0].tables["contexts"]
    assert (rows.added, len(rows.removed)) == (("new",), 1)
    assert list(rows.changed.values()) == [("num_tokens",)]
    assert all("messages" not in columns for columns in read_columns[:2])
    # The other contexts are in both, so their messages are read, one row group at a time.
    assert len(read_columns) > 2


def test_altered_messages_under_an_unchanged_id_are_found(
    tiny_dataset: Path, edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swap(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        messages = rows[2]["messages"]
        messages[2], messages[4] = messages[4], messages[2]
        return rows

    edit_table(edited, "contexts/4k.parquet", swap)
    identifier = read(edited, "contexts/4k.parquet")[2]["shared_context_id"]
    sizes: list[int] = []
    original = pq.ParquetFile.iter_batches

    def watch(self: Any, *args: Any, **options: Any) -> Any:
        for batch in original(self, *args, **options):
            if "messages" in options["columns"]:
                sizes.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watch)
    rows = compare_datasets(str(tiny_dataset), str(edited)).splits[0].tables["contexts"]
    assert (rows.added, rows.removed) == ((), ())
    assert rows.changed == {identifier: ("messages",)}
    assert sizes == [1] * 8, "every context of both, one at a time"


def test_a_table_without_messages_differs_in_every_row(tiny_dataset: Path, edited: Path) -> None:
    def drop(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for row in rows:
            del row["messages"]
        return rows

    edit_table(edited, "contexts/4k.parquet", drop)
    rows = compare_datasets(str(tiny_dataset), str(edited)).splits[0].tables["contexts"]
    assert set(rows.changed.values()) == {("messages",)}
    assert len(rows.changed) == 4


def test_settings_splits_and_files_come_from_the_manifests(
    tiny_dataset: Path, edited: Path
) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["seed"] = manifest["config"]["seed"] = 7
        manifest["version"] = "2.0.0"
        manifest["files"].pop("questions_4k.csv")
        manifest["files"]["notes.txt"] = {"sha256": "0" * 64, "bytes": 1}
        for kind in ("benchmark", "contexts", "annotations"):
            manifest["files"].pop(f"{kind}/4k.parquet")
        splits = manifest["families"]["personamem"]["splits"]
        splits["8k"] = splits.pop("4k")

    edit_manifest(edited, change)
    found = compare_datasets(str(tiny_dataset), str(edited))
    assert found.settings == {"version": ("1.0.0", "2.0.0"), "seed": (0, 7)}
    assert found.config == {"seed": (0, 7)}
    assert found.files["questions_4k.csv"] == "removed"
    assert found.files["notes.txt"] == "added"
    gone, new = found.splits
    assert (gone.split, gone.questions) == ("4k", (28, None))
    assert len(gone.tables["benchmark"].removed) == 28
    assert (new.split, new.questions, new.tables) == ("8k", (None, 28), {})


def test_the_command_prints_and_writes_the_differences(
    tiny_dataset: Path, edited: Path, tmp_path: Path
) -> None:
    first = read(edited, "benchmark/4k.parquet")[0]["question_id"]
    edit_table(edited, "benchmark/4k.parquet", lambda rows: rows[1:])
    report = tmp_path / "reports/diff.json"
    done = CliRunner().invoke(app, ["diff", str(tiny_dataset), str(edited), "--json", str(report)])
    assert done.exit_code == 0, done.output
    assert "benchmark/4k.parquet" in done.output
    written = json.loads(report.read_text())
    assert written["splits"][0]["tables"]["benchmark"]["removed"] == [first]
    same = CliRunner().invoke(app, ["diff", str(edited), str(edited)])
    assert same.output.strip() == "No difference."


def test_what_cannot_be_compared_is_named(tiny_dataset: Path, edited: Path) -> None:
    with pytest.raises(DatasetNotFoundError, match="no/folder/here"):
        compare_datasets(str(tiny_dataset), "no/folder/here")
    edit_table(edited, "benchmark/4k.parquet", lambda rows: rows)
    (edited / "benchmark/4k.parquet").write_bytes(b"nothing")
    with pytest.raises(DatasetError, match=r"benchmark/4k.parquet cannot be read"):
        compare_datasets(str(tiny_dataset), str(edited))
    (edited / "manifest.json").write_text("[]")
    with pytest.raises(
        DatasetError, match=r"manifest.json: the manifest: Input should be a valid dictionary"
    ):
        compare_datasets(str(tiny_dataset), str(edited))
    (edited / "manifest.json").unlink()
    with pytest.raises(DatasetError, match="half-written"):
        compare_datasets(str(tiny_dataset), str(edited))


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / name).to_pylist()  # type: ignore[no-any-return]
