"""The official second release: one table of queries, one chat history file a persona and size.

``benchmark/text/benchmark.csv`` names each history by a link relative to the release's folder. The
release shuffles the options at run time; here their order is that of a hash, so that a question has
the same letters every time and no letter is preferred.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from personamem.loaders.formats.csv_rows import iterate_csv_rows, require_columns
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import find_file, open_file
from personamem.loaders.formats.json_files import parse_json, read_json_file
from personamem.loaders.formats.literals import parse_literal
from personamem.loaders.formats.records import show_value
from personamem.loaders.formats.schema import LETTERS, ContextRecord, Message, Question
from personamem.loaders.personamem.contexts import check_messages
from personamem.loaders.personamem.questions import Reject, read_integer

TABLE = "benchmark/text/benchmark.csv"
SPLITS = ("32k", "128k")
_LONGEST_HEADER = 2**16

_COLUMNS = (
    "persona_id",
    "user_query",
    "correct_answer",
    "incorrect_answers",
    "topic_query",
    "pref_type",
)


@dataclass(frozen=True, slots=True)
class _History:
    """What is known of a history without keeping it."""

    messages: int
    letters: int


class HistoryContexts:
    """Contexts of the second release: a JSON file each, named by its link. Nothing is kept."""

    def __init__(self, folder: Path, links: Sequence[str]) -> None:
        """``links`` are paths below ``folder``.

        Raises:
            DatasetError: a link leads out of ``folder``, or to no regular file.
        """
        self._folder = folder
        self._links = tuple(dict.fromkeys(links))
        for link in self._links:
            try:
                find_file(folder, link)
            except DatasetError as error:
                raise DatasetError(f"{folder / TABLE} links to a file: {error}") from error

    @property
    def ids(self) -> Sequence[str]:
        """Context ids, which are the links, in order of first use."""
        return self._links

    def length_of(self, shared_context_id: str) -> int | None:
        """Return None: the number of messages is known only after parsing."""
        return None

    def read(self, shared_context_id: str) -> ContextRecord:
        """Read one history. Sessions are taken to start at system messages.

        Raises:
            DatasetError: not UTF-8 JSON with ``chat_history``, a message without role or content.
        """
        path = self._folder / shared_context_id
        raw = read_json_file(path)
        history = raw.get("chat_history") if isinstance(raw, dict) else None
        messages = check_messages(history, str(path))
        starts = {0, *(i for i, message in enumerate(messages) if message["role"] == "system")}
        return ContextRecord(shared_context_id, messages, tuple(sorted(starts)) if messages else ())


def read_version2_questions(
    folder: Path, split: str, reject: Reject | None = None
) -> tuple[tuple[Question, ...], HistoryContexts]:
    """Read the questions over the histories of size ``split``, and those histories' store.

    ``question_type`` is the release's ``pref_type``, ``topic`` its ``topic_query``; a question sees
    its whole history, so each history is parsed once here for its length. With ``reject``, rows
    that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not UTF-8, columns missing, a row or a history that does not hold.
    """
    path = folder / TABLE
    link_column = f"chat_history_{split}_link"
    rows: list[tuple[int, str, dict[str, str | None]]] = []
    check_header = partial(_check_header, path, [*_COLUMNS, link_column])
    for number, (where, row) in enumerate(iterate_csv_rows(path, check_header), start=1):
        if row[link_column]:
            rows.append((number, where, row))
        else:
            _give_up(DatasetError(f"{where}: {link_column} is empty."), reject)
    contexts = HistoryContexts(folder, [str(row[link_column]) for _, _, row in rows])
    histories: dict[str, _History] = {}
    for link in contexts.ids:
        messages = contexts.read(link).messages
        histories[link] = _History(len(messages), _count_letters(messages))
    questions = []
    for number, where, row in rows:
        link = str(row[link_column])
        try:
            questions.append(_make_question(row, number, split, link, histories[link], where))
        except DatasetError as error:
            _give_up(error, reject)
    return tuple(questions), contexts


def find_splits(folder: Path) -> list[str]:
    """Return the sizes for which the release in ``folder`` has a column of links."""
    with open_file(find_file(folder, TABLE)) as stream:
        header = stream.readline(_LONGEST_HEADER).decode("utf-8-sig", errors="replace")
    return [split for split in SPLITS if f"chat_history_{split}_link" in header]


def _check_header(path: Path, expected: list[str], header: list[str]) -> None:
    require_columns(path, header, expected)


def _give_up(error: DatasetError, reject: Reject | None) -> None:
    if reject is None:
        raise error
    reject(error)


def _make_question(
    row: Mapping[str, str | None],
    number: int,
    split: str,
    link: str,
    history: _History,
    where: str,
) -> Question:
    query = _read_query(row["user_query"] or "", where)
    gold = row["correct_answer"] or ""
    options = _order_options(query, [gold, *_read_wrong(row["incorrect_answers"] or "", where)])
    index = options.index(gold)
    tokens = _read_known(row, f"total_tokens_in_chat_history_{split}", where)
    distance = _read_known(row, f"distance_from_related_snippet_to_query_{split}", where)
    share = "" if distance is None or not tokens else f"{100 * distance / tokens:.2f}%"
    letters = [f"({letter}) {text}" for letter, text in zip(LETTERS, options, strict=True)]
    return Question(
        persona_id=read_integer(row["persona_id"], "persona_id", where),
        question_id=f"row-{number}",
        question_type=row["pref_type"] or "",
        topic=row["topic_query"] or "",
        context_length_in_tokens=tokens,
        context_length_in_letters=history.letters,
        distance_to_ref_in_blocks=None,
        distance_to_ref_in_tokens=distance,
        num_irrelevant_tokens=None,
        distance_to_ref_proportion_in_context=share,
        user_question_or_message=query,
        correct_answer=f"({LETTERS[index]})",
        all_options=json.dumps(letters, ensure_ascii=False),
        shared_context_id=link,
        end_index_in_shared_context=history.messages,
        options=options,
        answer_index=index,
    )


def _order_options(query: str, options: Sequence[str]) -> tuple[str, ...]:
    def digest(option: str) -> str:
        return hashlib.sha256(f"{query}\x1f{option}".encode()).hexdigest()

    return tuple(sorted(options, key=digest))


def _read_query(text: str, where: str) -> str:
    value = _read_first(text, (parse_literal, parse_json))
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, str):
        raise DatasetError(
            f"{where}: user_query is {show_value(text)}. Accepted: a literal "
            "{'role': ..., 'content': ...}."
        )
    return content


def _read_wrong(text: str, where: str) -> list[str]:
    value = _read_first(text, (parse_json, parse_literal))
    wanted = len(LETTERS) - 1
    if (
        isinstance(value, list)
        and len(value) == wanted
        and all(isinstance(option, str) for option in value)
    ):
        return value
    raise DatasetError(
        f"{where}: incorrect_answers is {show_value(text)}. Accepted: a JSON list of {wanted} "
        "texts."
    )


def _read_first(text: str, readers: Sequence[Callable[[str], Any]]) -> Any:
    """Return what the first reader makes of a text that does not refuse it, or None."""
    for reader in readers:
        try:
            return reader(text)
        except ValueError:
            continue
    return None


def _read_known(row: Mapping[str, str | None], name: str, where: str) -> int | None:
    """Return a number that the release may leave out, or write as a negative one."""
    cell = row.get(name)
    value = read_integer(cell, name, where) if cell else None
    return None if value is None or value < 0 else value


def _count_letters(messages: Sequence[Message]) -> int:
    return sum(len(message["content"]) for message in messages)
