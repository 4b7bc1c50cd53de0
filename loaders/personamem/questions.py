"""Reading questions: our Parquet rows and both column generations of the official CSV files.

Every row becomes a ``Question`` by the same checks, whatever file it comes from. An error names the
file, the row (counted from 1, the header not included), the question id and the value.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from personamem.loaders.formats.csv_rows import iterate_csv_rows, require_columns
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.literals import parse_literal
from personamem.loaders.formats.parquet import read_rows
from personamem.loaders.formats.records import list_integers, read_record, show_value
from personamem.loaders.formats.schema import (
    BENCHMARK_SCHEMA,
    LETTERS,
    OFFICIAL_COLUMNS,
    UNKNOWN_PERSONA,
    Question,
)

Reject = Callable[[DatasetError], None]
"""Takes the error of a row that cannot be used, so that reading goes on without it."""

Row = tuple[str, Mapping[str, Any]]
"""What to call a row in an error, and its values by column."""

_OLDER_NAMES = {"question": "user_question_or_message"}
_INTEGERS = list_integers(Question)
# No number of a dataset has more digits than this, and a longer one does not fit into Parquet.
_INTEGER = re.compile(r"\s*(-?[0-9]{1,18})(\.0*)?\s*")


def read_parquet_questions(path: Path, reject: Reject | None = None) -> tuple[Question, ...]:
    """Read ``benchmark/<split>.parquet``.

    With ``reject``, rows that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not Parquet, columns missing or of another type, a row that does not hold.
    """
    return _make_questions(read_rows(path, BENCHMARK_SCHEMA), make_question, reject)


def read_csv_questions(path: Path, reject: Reject | None = None) -> tuple[Question, ...]:
    """Read an official ``questions_<split>.csv``, of the present or the older column generation.

    The older one has ``question`` for ``user_question_or_message``, no ``persona_id`` (set to
    ``UNKNOWN_PERSONA``) and a column ``stereotypical``, which is dropped. With ``reject``, rows
    that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not UTF-8, columns missing, a row that does not hold.
    """
    return _make_questions(_iterate_official(path), _make_official_question, reject)


def make_question(row: Mapping[str, Any], where: str) -> Question:
    """Return a row of ``BENCHMARK_SCHEMA`` as a question.

    Raises:
        DatasetError: a null, an answer that is no letter, options or an ``answer_index`` that are
            not those of ``all_options`` and ``correct_answer``.
    """
    where = f"{where}, question {row['question_id']}"
    for name in _INTEGERS:
        read_integer(row[name], name, where)
    question = read_record(Question, row, where)
    options, index = read_options(row, where), read_answer(row, where)
    if len(question.options) != len(options):
        raise DatasetError(
            f"{where}: options has {len(question.options)} texts. Accepted: the {len(options)} of "
            "all_options."
        )
    for number, (found, expected) in enumerate(zip(question.options, options, strict=True)):
        if found != expected:
            raise DatasetError(
                f"{where}: options[{number}] is {show_value(found)}. Accepted: "
                f"{show_value(expected)}, as in all_options."
            )
    if question.answer_index != index:
        raise DatasetError(
            f"{where}: answer_index is {question.answer_index}. Accepted: {index}, since "
            f"correct_answer is {question.correct_answer}."
        )
    return question


def read_answer(row: Mapping[str, Any], where: str) -> int:
    """Return the index of the letter in ``correct_answer``. Raises DatasetError."""
    answer, accepted = row["correct_answer"], [f"({letter})" for letter in LETTERS]
    if answer not in accepted:
        raise DatasetError(
            f"{where}: correct_answer is {show_value(answer)}. Accepted: {', '.join(accepted)}."
        )
    return accepted.index(answer)


def read_options(row: Mapping[str, Any], where: str) -> tuple[str, ...]:
    """Return the texts in ``all_options`` without their letters. Raises DatasetError."""
    try:
        return parse_options(row["all_options"])
    except ValueError as error:
        raise DatasetError(
            f"{where}: all_options is {show_value(row['all_options'])}. Accepted: {error}."
        ) from error


def parse_options(all_options: object) -> tuple[str, ...]:
    """Read the literal of four strings "(a) ..." to "(d) ..."; return the texts without letters.

    Raises:
        ValueError: the text is no such literal; the message says what is accepted.
    """
    accepted = f"a list literal of {len(LETTERS)} strings that start with (a) to (d), in order"
    try:
        parsed = parse_literal(all_options) if isinstance(all_options, str) else None
    except ValueError:
        parsed = None
    if not isinstance(parsed, list) or len(parsed) != len(LETTERS):
        raise ValueError(accepted)
    texts = []
    for letter, option in zip(LETTERS, parsed, strict=True):
        match = re.match(rf"\({letter}\)\s*", option) if isinstance(option, str) else None
        if match is None:
            raise ValueError(f"{accepted} (there is no ({letter}))")
        texts.append(option[match.end() :])
    return tuple(texts)


def read_integer(value: object, name: str, where: str) -> int:
    """Return a cell as an integer; raises DatasetError that names the column, the row, the cell."""
    if isinstance(value, int):
        return value
    # Spreadsheets and pandas write a column that once held a gap as "12.0".
    match = _INTEGER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise DatasetError(f"{where}: {name} is {show_value(value)}. Accepted: an integer.")
    return int(match[1])


def _make_questions(
    rows: Iterable[Row],
    make: Callable[[Mapping[str, Any], str], Question],
    reject: Reject | None,
) -> tuple[Question, ...]:
    questions = []
    for where, row in rows:
        try:
            questions.append(make(row, where))
        except DatasetError as error:
            if reject is None:
                raise
            reject(error)
    return tuple(questions)


def _make_official_question(cells: Mapping[str, str | None], where: str) -> Question:
    where = f"{where}, question {cells['question_id']}"
    row: dict[str, Any] = {name: cells[name] for name in OFFICIAL_COLUMNS}
    for name in _INTEGERS:
        if name in row:
            row[name] = read_integer(row[name], name, where)
    row["correct_answer"] = (row["correct_answer"] or "").strip()
    # Only our own files state these two.
    row["options"] = read_options(row, where)
    row["answer_index"] = read_answer(row, where)
    return read_record(Question, row, where)


def _iterate_official(path: Path) -> Iterator[Row]:
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

    for where, row in iterate_csv_rows(path, check_header):
        if older:
            row = {_OLDER_NAMES.get(name, name): value for name, value in row.items()}
            row.setdefault("persona_id", str(UNKNOWN_PERSONA))
        yield where, row
