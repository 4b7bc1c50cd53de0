"""The flat table against the tables that it repeats: every row is made again and compared."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from personamem.dataset_builder.core.findings import Violations
from personamem.dataset_builder.families.personamem.audit.structure import COLUMNS, MIRRORS
from personamem.dataset_builder.families.personamem.flat import FLAT_SCHEMA, make_flat, name_file
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.parquet import check_columns, open_parquet
from personamem.loaders.formats.schema import Annotation, ContextRecord, Question
from personamem.loaders.personamem.contexts import ContextStore
from personamem.loaders.personamem.files import SplitFiles

_Row = dict[str, Any]


def check_flat(
    files: SplitFiles,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
    contexts: ContextStore,
    violations: Violations,
) -> None:
    """Check that the flat table has a row for each question, with what the other tables say."""
    name = name_file(files.split)
    by_id = {question.question_id: question for question in questions}
    found = []
    try:
        for row in _read_rows(files):
            found.append(row["question_id"])
            question, note = by_id.get(found[-1]), annotations.get(found[-1])
            if question is None or note is None:
                violations.add(MIRRORS, f"{name}: question {found[-1]!r} is in no other table")
            else:
                _compare(files.split, row, question, note, contexts, violations)
    except DatasetError as error:
        violations.add(COLUMNS, str(error))
        return
    if sorted(found) != sorted(by_id):
        violations.add(MIRRORS, f"{name}: {len(found)} rows, expected {len(by_id)} questions")


def _read_rows(files: SplitFiles) -> Iterator[_Row]:
    """Yield the rows of a table, a group at a time; none where it is not there."""
    path = files.folder / name_file(files.split)
    if not path.exists():
        return  # That a listed file is missing is another finding.
    with open_parquet(path) as file:
        check_columns(path, file.schema_arrow, FLAT_SCHEMA)
        groups = file.num_row_groups
    for group in range(groups):
        with open_parquet(path) as file:
            rows = file.read_row_group(group, columns=FLAT_SCHEMA.names).to_pylist()
        yield from rows


def _compare(
    split: str,
    row: _Row,
    question: Question,
    note: Annotation,
    contexts: ContextStore,
    violations: Violations,
) -> None:
    try:
        context: ContextRecord = contexts.read(question.shared_context_id)
    except (DatasetError, KeyError):
        return  # What is wrong with the context is another finding.
    made = make_flat(split, question, note, context.messages)
    for column in FLAT_SCHEMA.names:
        value = getattr(made, column)
        expected = list(value) if isinstance(value, tuple) else value
        if row[column] != expected:
            violations.add(
                MIRRORS, f"{name_file(split)}, question {question.question_id}: {column}"
            )
