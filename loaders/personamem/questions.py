"""Reading questions: our Parquet rows and both column generations of the official CSV files.

Every row passes the same checks, whatever file it comes from. An error names the file, the row
(counted from 1, the header not included), the question id and the value.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from personamem.loaders.formats.csv_rows import iterate_csv_rows, require_columns
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.schema import (
    BENCHMARK_SCHEMA,
    LETTERS,
    OFFICIAL_COLUMNS,
    UNKNOWN_PERSONA,
    Question,
)

Reject = Callable[[DatasetError], None]
"""Takes the error of a row that cannot be used, so that reading goes on without it."""

_OLDER_NAMES = {"question": "user_question_or_message"}
_INTEGERS = tuple(
    name for name in OFFICIAL_COLUMNS if pa.types.is_integer(BENCHMARK_SCHEMA.field(name).type)
)


def read_parquet_questions(path: Path, reject: Reject | None = None) -> tuple[Question, ...]:
    """Read ``benchmark/<split>.parquet``.

    With ``reject``, rows that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not Parquet, columns missing or of another type, a row that does not hold.
    """
    table = read_table(path, BENCHMARK_SCHEMA)
    return _make_questions(path, table.to_pylist(), reject)


def read_csv_questions(path: Path, reject: Reject | None = None) -> tuple[Question, ...]:
    """Read an official ``questions_<split>.csv``, of the present or the older column generation.

    The older one has ``question`` for ``user_question_or_message``, no ``persona_id`` (set to
    ``UNKNOWN_PERSONA``) and a column ``stereotypical``, which is dropped. With ``reject``, rows
    that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not UTF-8, columns missing, a row that does not hold.
    """
    return _make_questions(path, _iterate_official(path), reject)


def read_table(path: Path, schema: pa.Schema) -> pa.Table:
    """Read a Parquet file and require the columns of ``schema``; further columns are ignored.

    Raises:
        DatasetError: not Parquet, or a column is missing or of another type.
    """
    try:
        table = pq.read_table(path, partitioning=None)
    except (pa.ArrowInvalid, OSError) as error:
        raise DatasetError(f"{path} cannot be read as Parquet: {error}") from error
    check_columns(path, table.schema, schema)
    return table.select(schema.names)


def check_columns(path: Path, found: pa.Schema, expected: pa.Schema) -> None:
    """Raise a DatasetError if a column of ``expected`` is missing or has another type."""
    missing = [name for name in expected.names if name not in found.names]
    if missing:
        raise DatasetError(
            f"{path} lacks the columns {', '.join(missing)}. It has: {', '.join(found.names)}."
        )
    for field in expected:
        if not _is_of_type(found.field(field.name).type, field.type):
            raise DatasetError(
                f"{path}: column {field.name!r} is {found.field(field.name).type}, "
                f"expected {field.type}."
            )


def _is_of_type(found: pa.DataType, expected: pa.DataType) -> bool:
    # Parquet knows no seconds: a timestamp comes back in another unit.
    if pa.types.is_timestamp(expected) and pa.types.is_timestamp(found):
        return bool(found.tz == expected.tz)
    # Names of list items differ between writers ("item", "element"); equals() ignores them.
    return bool(found.equals(expected))


def parse_options(all_options: str) -> tuple[str, ...]:
    """Read the literal of four strings "(a) ..." to "(d) ..."; return the texts without letters.

    Raises:
        ValueError: the text is no such literal.
    """
    try:
        parsed = ast.literal_eval(all_options)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise ValueError("all_options is not a list literal") from error
    if not isinstance(parsed, list) or len(parsed) != len(LETTERS):
        raise ValueError(f"all_options must be a list of {len(LETTERS)} strings")
    texts = []
    for letter, option in zip(LETTERS, parsed, strict=True):
        match = re.match(rf"\({letter}\)\s*", option) if isinstance(option, str) else None
        if match is None:
            raise ValueError(f"the options must start with (a) to (d), in order: no ({letter})")
        texts.append(option[match.end() :])
    return tuple(texts)


def _make_questions(
    path: Path, rows: Iterable[Mapping[str, object]], reject: Reject | None
) -> tuple[Question, ...]:
    questions = []
    for number, row in enumerate(rows, start=1):
        try:
            questions.append(_make_question(row, f"{path}, row {number}"))
        except DatasetError as error:
            if reject is None:
                raise
            reject(error)
    return tuple(questions)


def _iterate_official(path: Path) -> Iterator[dict[str, str | None]]:
    older = False

    def check_header(header: list[str]) -> None:
        nonlocal older
        older = "user_question_or_message" not in header
        expected = list(OFFICIAL_COLUMNS)
        if older:
            names = {new: old for old, new in _OLDER_NAMES.items()}
            expected = [names.get(name, name) for name in expected if name != "persona_id"]
        either = {"question": "user_question_or_message (or question)"}
        require_columns(path, header, expected, either)

    for row in iterate_csv_rows(path, check_header):
        if older:
            row = {_OLDER_NAMES.get(name, name): value for name, value in row.items()}
            row.setdefault("persona_id", str(UNKNOWN_PERSONA))
        yield row


def _make_question(row: Mapping[str, object], where: str) -> Question:
    where = f"{where}, question {row['question_id']}"
    texts: dict[str, str] = {}
    numbers: dict[str, int] = {}
    for name in OFFICIAL_COLUMNS:
        value = row[name]
        if name in _INTEGERS:
            numbers[name] = read_integer(value, name, where)
        elif isinstance(value, str):
            texts[name] = value
        else:
            raise DatasetError(f"{where}: {name} is empty; a text is expected.")
    answer = texts["correct_answer"].strip()
    if answer not in {f"({letter})" for letter in LETTERS}:
        raise DatasetError(
            f"{where}: correct_answer is {texts['correct_answer']!r}. Accepted: (a), (b), (c), (d)."
        )
    try:
        options = parse_options(texts["all_options"])
    except ValueError as error:
        raise DatasetError(f"{where}: {error}; found {texts['all_options'][:120]!r}.") from error
    index = LETTERS.index(answer[1])
    # Only our own files say it twice.
    if (row.get("options", list(options)), row.get("answer_index", index)) != (
        list(options),
        index,
    ):
        raise DatasetError(
            f"{where}: options and answer_index disagree with all_options and correct_answer."
        )
    return Question(
        persona_id=numbers["persona_id"],
        question_id=texts["question_id"],
        question_type=texts["question_type"],
        topic=texts["topic"],
        context_length_in_tokens=numbers["context_length_in_tokens"],
        context_length_in_letters=numbers["context_length_in_letters"],
        distance_to_ref_in_blocks=numbers["distance_to_ref_in_blocks"],
        distance_to_ref_in_tokens=numbers["distance_to_ref_in_tokens"],
        num_irrelevant_tokens=numbers["num_irrelevant_tokens"],
        distance_to_ref_proportion_in_context=texts["distance_to_ref_proportion_in_context"],
        user_question_or_message=texts["user_question_or_message"],
        correct_answer=answer,
        all_options=texts["all_options"],
        shared_context_id=texts["shared_context_id"],
        end_index_in_shared_context=numbers["end_index_in_shared_context"],
        options=options,
        answer_index=index,
    )


def read_integer(value: object, name: str, where: str) -> int:
    """Return a cell as an integer; raises DatasetError that names the column, the row, the cell."""
    if isinstance(value, int):
        return value
    # Spreadsheets and pandas write a column that once held a gap as "12.0".
    match = re.fullmatch(r"\s*(-?\d+)(\.0*)?\s*", value) if isinstance(value, str) else None
    if match is None:
        raise DatasetError(f"{where}: {name} is {value!r}; an integer is expected.")
    return int(match[1])
