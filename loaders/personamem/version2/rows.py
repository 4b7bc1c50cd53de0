"""Cells of the second release's tables as typed rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from personamem.loaders.formats.csv_rows import iterate_csv_rows, require_columns
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.json_files import parse_json
from personamem.loaders.formats.literals import parse_literal
from personamem.loaders.formats.records import show_value
from personamem.loaders.formats.schema import LETTERS, Message
from personamem.loaders.personamem.questions import Reject, read_integer
from personamem.loaders.personamem.version2.records import SPLITS, HistoryFacts, Version2Row

REQUIRED = (
    *("persona_id", "user_query", "correct_answer", "incorrect_answers", "topic_query"),
    "pref_type",
)
"""Columns without which a row asks nothing; the others may be missing, as in partial releases."""

ROLES = ("system", "user", "assistant")

Cells = Mapping[str, str | None]


def read_rows(path: Path, split: str, reject: Reject | None = None) -> list[Version2Row]:
    """Read the rows of a table that link to a history of size ``split``.

    With ``reject``, rows that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not UTF-8, columns missing, a cell that does not hold.
    """
    rows = []
    for number, (where, cells) in enumerate(_iterate(path, split), start=1):
        try:
            rows.append(_make_row(cells, number, split, where))
        except DatasetError as error:
            if reject is None:
                raise
            reject(error)
    return rows


def list_links(path: Path, split: str) -> list[str]:
    """Return the histories of size ``split`` that a table links to, each once."""
    column = name_link(split)
    links = (cells[column] for _, cells in _iterate(path, split))
    return list(dict.fromkeys(link for link in links if link))


def name_link(split: str) -> str:
    """Return the name of the column that links to the histories of size ``split``."""
    return f"chat_history_{split}_link"


def _iterate(path: Path, split: str) -> Iterator[tuple[str, Cells]]:
    def check_header(header: list[str]) -> None:
        require_columns(path, header, [*REQUIRED, name_link(split)])

    yield from iterate_csv_rows(path, check_header)


def _make_row(cells: Cells, number: int, split: str, where: str) -> Version2Row:
    def text(name: str) -> str:
        return cells.get(name) or ""

    if not text(name_link(split)):
        raise DatasetError(f"{where}: {name_link(split)} is empty.")
    return Version2Row(
        number=number,
        persona_id=read_integer(cells["persona_id"], "persona_id", where),
        histories={size: _read_facts(cells, size, where) for size in SPLITS},
        raw_persona_file=text("raw_persona_file"),
        short_persona=text("short_persona"),
        expanded_persona=_read_mapping(text("expanded_persona"), "expanded_persona", where),
        user_query=_read_query(text("user_query"), where),
        correct_answer=text("correct_answer"),
        incorrect_answers=_read_wrong(text("incorrect_answers"), where),
        topic_query=text("topic_query"),
        preference=text("preference"),
        topic_preference=text("topic_preference"),
        conversation_scenario=text("conversation_scenario"),
        pref_type=text("pref_type"),
        snippet=_read_snippet(text("related_conversation_snippet"), where),
        who=_read_who(text("who"), where),
        updated=_read_flag(text("updated"), "updated", where),
        prev_pref=text("prev_pref"),
        sensitive_info=_read_flag(text("sensitive_info"), "sensitive_info", where),
    )


def _read_facts(cells: Cells, size: str, where: str) -> HistoryFacts:
    def number(name: str) -> int | None:
        cell = cells.get(name)
        value = read_integer(cell, name, where) if cell else None
        # Some are written as a negative number where they are not known.
        return None if value is None or value < 0 else value

    return HistoryFacts(
        link=cells.get(name_link(size)) or "",
        distance=number(f"distance_from_related_snippet_to_query_{size}"),
        total_tokens=number(f"total_tokens_in_chat_history_{size}"),
        relevant_tokens=number(f"num_persona_relevant_tokens_{size}"),
        irrelevant_tokens=number(f"num_persona_irrelevant_tokens_{size}"),
    )


def _read_query(text: str, where: str) -> str:
    value = _read_first(text, (parse_literal, parse_json))
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, str):
        raise DatasetError(
            f"{where}: user_query is {show_value(text)}. Accepted: a literal "
            "{'role': ..., 'content': ...}."
        )
    return content


def _read_wrong(text: str, where: str) -> tuple[str, ...]:
    value = _read_first(text, (parse_json, parse_literal))
    wanted = len(LETTERS) - 1
    if (
        isinstance(value, list)
        and len(value) == wanted
        and all(isinstance(option, str) for option in value)
    ):
        return tuple(value)
    raise DatasetError(
        f"{where}: incorrect_answers is {show_value(text)}. Accepted: a JSON list of {wanted} "
        "texts."
    )


def _read_snippet(text: str, where: str) -> tuple[Message, ...]:
    value = _read_first(text, (parse_json, parse_literal)) if text.strip() else []
    if isinstance(value, list) and all(map(_is_message, value)):
        return tuple(Message(role=each["role"], content=each["content"]) for each in value)
    raise DatasetError(
        f"{where}: related_conversation_snippet is {show_value(text)}. Accepted: a JSON list of "
        "messages with role and content."
    )


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("role") in ROLES
        and isinstance(value.get("content"), str)
    )


def _read_mapping(text: str, name: str, where: str) -> Mapping[str, Any]:
    value = _read_first(text, (parse_json, parse_literal)) if text.strip() else {}
    if not isinstance(value, dict):
        raise DatasetError(f"{where}: {name} is {show_value(text)}. Accepted: a JSON object.")
    return value


def _read_who(text: str, where: str) -> Literal["self", "others"]:
    if text in ("", "self"):
        return "self"
    if text == "others":
        return "others"
    raise DatasetError(f"{where}: who is {show_value(text)}. Accepted: self, others.")


def _read_flag(text: str, name: str, where: str) -> bool:
    if text.lower() not in ("", "true", "false"):
        raise DatasetError(f"{where}: {name} is {show_value(text)}. Accepted: True, False.")
    return text.lower() == "true"


def _read_first(text: str, readers: Sequence[Callable[[str], Any]]) -> Any:
    """Return what the first reader makes of a text that does not refuse it, or None."""
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    return None
