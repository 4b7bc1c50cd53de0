"""Changing a built dataset on disk, so that its manifest and mirrors still agree with it."""

import csv
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.families.personamem.flat import FLAT_SCHEMA, make_flat
from personamem.loaders.formats.schema import Annotation, Question

Rows = list[dict[str, Any]]
TABLES = ("benchmark", "annotations", "contexts")


class DatasetEdit:
    """The tables of one split of a copy of a dataset, as lists of rows to be changed in place."""

    def __init__(self, source: Path, folder: Path, split: str) -> None:
        shutil.copytree(source, folder)
        self.folder, self.split = folder, split
        self.tables: dict[str, Rows] = {
            name: pq.read_table(self.path(name)).to_pylist() for name in TABLES
        }
        self._schemas = {name: pq.read_schema(self.path(name)) for name in TABLES}

    def path(self, name: str) -> Path:
        return self.folder / name / f"{self.split}.parquet"

    @property
    def benchmark(self) -> Rows:
        return self.tables["benchmark"]

    @property
    def annotations(self) -> Rows:
        return self.tables["annotations"]

    @property
    def contexts(self) -> Rows:
        return self.tables["contexts"]

    def note_of(self, row: dict[str, Any]) -> dict[str, Any]:
        """The annotation of a benchmark row."""
        return next(n for n in self.annotations if n["question_id"] == row["question_id"])

    def context_of(self, row: dict[str, Any]) -> dict[str, Any]:
        """The context of a benchmark row."""
        wanted = row["shared_context_id"]
        return next(c for c in self.contexts if c["shared_context_id"] == wanted)

    def set_options(self, row: dict[str, Any], options: list[str]) -> None:
        """Write new options into every column that holds them."""
        row["options"] = options
        letters = [f"({letter}) {text}" for letter, text in zip("abcd", options, strict=True)]
        row["all_options"] = json.dumps(letters, ensure_ascii=False)

    def set_gold(self, row: dict[str, Any], index: int) -> None:
        """Write another gold into both columns that hold it."""
        row["answer_index"], row["correct_answer"] = index, f"({'abcd'[index]})"

    def rename_contexts(self) -> None:
        """Give every context the hash of its messages for an id again, wherever it stands."""
        names = {}
        for context in self.contexts:
            body = json.dumps(context["messages"], ensure_ascii=False).encode()
            names[context["shared_context_id"]] = hashlib.sha256(body).hexdigest()
            context["shared_context_id"] = names[context["shared_context_id"]]
        for row in self.benchmark:
            row["shared_context_id"] = names.get(row["shared_context_id"], row["shared_context_id"])

    def save(self, change_schema: Callable[[str, pa.Schema], pa.Schema] | None = None) -> Path:
        """Write tables, mirrors and the manifest's entries."""
        for name in TABLES:
            schema = self._schemas[name]
            if change_schema:
                schema = change_schema(name, schema)
            table = pa.Table.from_pylist(self.tables[name], schema=schema)
            pq.write_table(table, self.path(name), row_group_size=2)
        columns = [
            name
            for name in self._schemas["benchmark"].names
            if name not in ("options", "answer_index")
        ]
        with (self.folder / f"questions_{self.split}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, columns, lineterminator="\n", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.benchmark)
        with (self.folder / f"shared_contexts_{self.split}.jsonl").open("w") as stream:
            for context in self.contexts:
                body = json.dumps(context["messages"], ensure_ascii=False)
                stream.write(f'{{"{context["shared_context_id"]}": {body}}}\n')
        if change_schema is None:
            self._save_flat()
        self.refresh_manifest()
        return self.folder

    def _save_flat(self) -> None:
        """Write the flat table anew of what the others hold now, as far as they fit together."""
        path = self.path("flat")
        if not path.exists():
            return
        rows = {row["question_id"]: row for row in pq.read_table(path).to_pylist()}
        notes = {note["question_id"]: note for note in self.annotations}
        contexts = {context["shared_context_id"]: context for context in self.contexts}
        made = []
        for row in self.benchmark:
            note, context = notes.get(row["question_id"]), contexts.get(row["shared_context_id"])
            if note is None or context is None:
                made += [rows[row["question_id"]]] if row["question_id"] in rows else []
                continue
            question = Question(**{**row, "options": tuple(row["options"])})
            made.append(
                asdict(make_flat(self.split, question, Annotation(**note), context["messages"]))
            )
        pq.write_table(pa.Table.from_pylist(made, FLAT_SCHEMA), path, row_group_size=16)

    def refresh_manifest(self) -> None:
        """State the files as they are now."""
        path = self.folder / "manifest.json"
        manifest = json.loads(path.read_text("utf-8"))
        for name, entry in manifest["files"].items():
            data = (self.folder / name).read_bytes()
            entry |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
            if "rows" in entry and name.endswith(".parquet"):
                entry["rows"] = pq.read_metadata(self.folder / name).num_rows
        path.write_text(json.dumps(manifest), "utf-8")
