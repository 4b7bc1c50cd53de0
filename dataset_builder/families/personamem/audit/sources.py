"""Reading a split for an audit: what cannot be used is a finding, and the rest is read on."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.dataset_builder.core.findings import Violations
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.audit.structure import (
    COLUMNS,
    FILES,
    MIRRORS,
    READABLE,
)
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.manifest import MANIFEST, Manifest, check_file
from personamem.loaders.formats.schema import OFFICIAL_COLUMNS, Annotation, Question
from personamem.loaders.formats.sources import parse_source
from personamem.loaders.personamem.annotations import read_annotations
from personamem.loaders.personamem.contexts import ContextStore, JsonlContexts, ParquetContexts
from personamem.loaders.personamem.files import Layout, SplitFiles, locate_split
from personamem.loaders.personamem.questions import read_csv_questions, read_parquet_questions
from personamem.loaders.personamem.version2 import read_version2_questions


@dataclass(frozen=True, slots=True)
class SplitSource:
    """One split as it was found. ``config`` is what it was built from, if it is ours."""

    source: str
    split: str
    layout: Layout
    config: PersonaMemConfig | None
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
        _check_files(files.manifest, files, violations, whole=parsed.folder is not None)
        config = _read_config(files.manifest, split, violations)
        if _check_columns(files, violations):
            questions = read_parquet_questions(files.questions, reject)
            annotations = read_annotations(files.annotations) if files.annotations else None
            contexts = ParquetContexts(files.contexts)
            _check_mirrors(files, questions, contexts, violations)
    elif files.layout is Layout.VERSION_1:
        questions = read_csv_questions(files.questions, reject)
        contexts = JsonlContexts(files.contexts)
    else:
        questions, contexts = read_version2_questions(files.folder, split, reject)
    return SplitSource(
        str(parsed), split, files.layout, config, questions, annotations, contexts, violations
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


def _check_files(
    manifest: Manifest, files: SplitFiles, violations: Violations, whole: bool
) -> None:
    """Check the files of the split, and those of the dataset that belong to no split.

    A split fetched from the Hub is not ``whole``: it comes without the files that nothing reads.
    """
    others = {name for family in manifest.families.values() for name in family.splits}
    for name in manifest.files:
        path = files.folder / name
        split = path.stem.rpartition("_")[2]
        of_another = split in others and split != files.split
        if not of_another and (whole or path.exists()):
            try:
                check_file(manifest, name, path)
            except (DatasetError, OSError) as error:
                violations.add(FILES, str(error))


def _check_columns(files: SplitFiles, violations: Violations) -> bool:
    """Return whether the tables have their columns; an order or a column too many is told only."""
    usable = True
    for path, expected in (
        (files.questions, schema.BENCHMARK_SCHEMA),
        (files.contexts, schema.CONTEXTS_SCHEMA),
        (files.annotations, schema.ANNOTATIONS_SCHEMA),
    ):
        if path is None:
            continue
        try:
            found = pq.read_schema(path)
        except (pa.ArrowInvalid, OSError) as error:
            raise DatasetError(f"{path} cannot be read as Parquet: {error}") from error
        if found.names != expected.names:
            violations.add(COLUMNS, f"{path.name} ({path.parent.name}): {', '.join(found.names)}")
        for field in expected:
            position = found.get_field_index(field.name)
            # Names of list items differ between writers ("item", "element"); equals() ignores them.
            if position < 0 or not found.field(position).type.equals(field.type):
                usable = False
                kind = "missing" if position < 0 else str(found.field(position).type)
                violations.add(
                    COLUMNS, f"{path}: column {field.name!r} is {kind}, expected {field.type}"
                )
    return usable


def _check_mirrors(
    files: SplitFiles,
    questions: tuple[Question, ...],
    contexts: ContextStore,
    violations: Violations,
) -> None:
    table = files.folder / f"questions_{files.split}.csv"
    if table.exists():
        mirrored = read_csv_questions(table, lambda error: violations.add(MIRRORS, str(error)))
        if len(mirrored) != len(questions):
            violations.add(
                MIRRORS, f"{table.name}: {len(mirrored)} rows, expected {len(questions)}"
            )
        for ours, theirs in zip(questions, mirrored, strict=False):
            for column in OFFICIAL_COLUMNS:
                if getattr(ours, column) != getattr(theirs, column):
                    violations.add(MIRRORS, f"{table.name}, question {ours.question_id}: {column}")
    lines = files.folder / f"shared_contexts_{files.split}.jsonl"
    if lines.exists():
        found = list(_hash_lines(lines))
        for context_id, digest in found:
            if digest != context_id:
                violations.add(MIRRORS, f"{lines.name}: context {context_id} was changed")
        if [context_id for context_id, _ in found] != list(contexts.ids):
            violations.add(MIRRORS, f"{lines.name}: other contexts, or in another order")


def _hash_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each line's context id and the sha256 of its messages as written."""
    with path.open("rb") as stream:
        for line in stream:
            key, _, rest = line.partition(b":")
            body = rest.strip()[:-1]
            yield key.strip(b'{" ').decode("utf-8", "replace"), hashlib.sha256(body).hexdigest()
