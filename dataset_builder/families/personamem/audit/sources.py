"""Reading a split for an audit: what cannot be used is a finding, and the rest is read on."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.core.findings import Violations
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.facts import FILES, check_files
from personamem.dataset_builder.families.personamem.audit.flat import check_flat
from personamem.dataset_builder.families.personamem.audit.structure import (
    COLUMNS,
    MIRRORS,
    READABLE,
)
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.flat import is_flat
from personamem.dataset_builder.families.personamem.tables import list_files
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.files import open_file
from personamem.loaders.formats.manifest import MANIFEST, Manifest
from personamem.loaders.formats.parquet import is_of_type, open_parquet
from personamem.loaders.formats.schema import OFFICIAL_COLUMNS, Annotation, Question
from personamem.loaders.formats.sources import parse_source
from personamem.loaders.personamem.annotations import read_annotations
from personamem.loaders.personamem.contexts import ContextStore, JsonlContexts, ParquetContexts
from personamem.loaders.personamem.files import Layout, SplitFiles, locate_split
from personamem.loaders.personamem.questions import read_csv_questions, read_parquet_questions
from personamem.loaders.personamem.version2.questions import read_version2


@dataclass(frozen=True, slots=True)
class SplitSource:
    """One split as it was found.

    ``config`` is what it was built from and ``manifest`` what is stated about it, if it is ours.
    """

    source: str
    split: str
    layout: Layout
    config: PersonaMemConfig | None
    manifest: Manifest | None
    questions: tuple[Question, ...]
    annotations: Mapping[str, Annotation] | None
    contexts: ContextStore
    violations: Violations


class _NoContexts:
    """Stands in for a table of contexts that cannot be read."""

    ids = ()

    def length_of(self, shared_context_id: str) -> None:
        return None

    def read(self, shared_context_id: str) -> Any:
        raise KeyError(shared_context_id)


def read_split(source: str | Path, split: str) -> SplitSource:
    """Read the questions, the annotations and the index of the contexts of one split.

    Raises:
        DatasetError: the source is no dataset, or a file cannot be read at all.
        InvalidInputError: an unknown split.
    """
    parsed = parse_source(source)
    files = locate_split(parsed, split)
    violations = Violations()

    def reject(error: DatasetError) -> None:
        violations.add(READABLE, str(error))

    annotations: Mapping[str, Annotation] | None = None
    contexts: ContextStore = _NoContexts()
    questions: tuple[Question, ...] = ()
    config = None
    if files.layout is Layout.OURS:
        assert files.manifest is not None
        whole = parsed.folder is not None
        lines = f"shared_contexts_{split}.jsonl"
        names = [name for name in list_files(split) if name != lines]
        check_files(files.manifest, files.folder, names, whole, violations)
        config = _read_config(files.manifest, split, violations)
        if _check_columns(files, violations):
            questions = read_parquet_questions(files.questions, reject)
            annotations = _read_annotations(files, violations)
            contexts = ParquetContexts(files.contexts)
            _check_csv(files, questions, violations)
            if annotations is not None and is_flat(split):
                check_flat(files, questions, annotations, contexts, violations)
            if whole or (files.folder / lines).exists():
                _check_lines(files.manifest, files.folder, lines, contexts.ids, violations)
    elif files.layout is Layout.VERSION_1:
        questions = read_csv_questions(files.questions, reject)
        contexts = JsonlContexts(files.contexts)
    else:
        entries, contexts = read_version2(files.folder, split, reject=reject)
        questions = tuple(entry.question for entry in entries)
    return SplitSource(
        str(parsed),
        split,
        files.layout,
        config,
        files.manifest,
        questions,
        annotations,
        contexts,
        violations,
    )


def _read_config(manifest: Manifest, split: str, violations: Violations) -> PersonaMemConfig | None:
    try:
        config = configure(make_config(**manifest.config))
    except (InvalidInputError, TypeError) as error:
        violations.add(FILES, f"{MANIFEST}: the configuration cannot be used: {error}")
        return None
    if split not in config.sizes:
        violations.add(FILES, f"{MANIFEST}: the configuration has no size {split}")
        return None
    return config


def _read_annotations(files: SplitFiles, violations: Violations) -> Mapping[str, Annotation] | None:
    if files.annotations is None:
        violations.add(READABLE, f"annotations/{files.split}.parquet is missing")
        return None
    try:
        return read_annotations(files.annotations)
    except DatasetError as error:
        violations.add(READABLE, str(error))
        return None


def _check_columns(files: SplitFiles, violations: Violations) -> bool:
    """Return whether the tables have their columns; another order or further ones do no harm."""
    usable = True
    for path, expected in (
        (files.questions, schema.BENCHMARK_SCHEMA),
        (files.contexts, schema.CONTEXTS_SCHEMA),
        (files.annotations, schema.ANNOTATIONS_SCHEMA),
    ):
        if path is None:
            continue
        with open_parquet(path) as file:
            found = file.schema_arrow
        if found.names != expected.names:
            violations.add(COLUMNS, f"{path.name} ({path.parent.name}): {', '.join(found.names)}")
        for field in expected:
            position = found.get_field_index(field.name)
            if position < 0 or not is_of_type(found.field(position).type, field.type):
                usable = False
                kind = "missing" if position < 0 else str(found.field(position).type)
                violations.add(
                    COLUMNS, f"{path}: column {field.name!r} is {kind}, expected {field.type}"
                )
    return usable


def _check_csv(files: SplitFiles, questions: tuple[Question, ...], violations: Violations) -> None:
    """Check that the CSV file holds the questions of the Parquet file, row by row."""
    table = files.folder / f"questions_{files.split}.csv"
    if not table.exists():
        return
    try:
        mirrored = read_csv_questions(table, lambda error: violations.add(MIRRORS, str(error)))
    except DatasetError as error:
        violations.add(MIRRORS, str(error))
        return
    if len(mirrored) != len(questions):
        violations.add(MIRRORS, f"{table.name}: {len(mirrored)} rows, expected {len(questions)}")
    for ours, theirs in zip(questions, mirrored, strict=False):
        for column in OFFICIAL_COLUMNS:
            if getattr(ours, column) != getattr(theirs, column):
                violations.add(MIRRORS, f"{table.name}, question {ours.question_id}: {column}")
    assert files.manifest is not None
    _check_rows(files.manifest, table.name, len(mirrored), violations)


def _check_lines(
    manifest: Manifest, folder: Path, name: str, ids: Sequence[str], violations: Violations
) -> None:
    """Check the JSONL file in one pass: its digest, and that each line is the context of its id."""
    found: list[str] = []
    whole = hashlib.sha256()
    try:
        with open_file(folder / name) as stream:
            for line in stream:
                whole.update(line)
                key, _, rest = line.partition(b":")
                found.append(key.strip(b'{" ').decode("utf-8", "replace"))
                if hashlib.sha256(rest.strip()[:-1]).hexdigest() != found[-1]:
                    violations.add(MIRRORS, f"{name}: context {found[-1]} was changed")
    except DatasetError as error:
        violations.add(FILES, str(error))
        return
    if found != list(ids):
        violations.add(MIRRORS, f"{name}: other contexts, or in another order")
    record = manifest.files.get(name)
    if record is None or record.sha256 != whole.hexdigest():
        stated = "nothing" if record is None else record.sha256
        violations.add(FILES, f"{name}: sha256 is {whole.hexdigest()}, {MANIFEST} says {stated}")
    _check_rows(manifest, name, len(found), violations)


def _check_rows(manifest: Manifest, name: str, rows: int, violations: Violations) -> None:
    record = manifest.files.get(name)
    if record is not None and record.rows != rows:
        violations.add(FILES, f"{name}: it has {rows} rows, {MANIFEST} says {record.rows}")
