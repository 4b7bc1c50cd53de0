"""The rows of the second release as questions over histories, with their snippets found.

The release shuffles the options at run time; here their order is that of a hash, so that a question
has the same letters every time and no letter is preferred.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from personamem.loaders.formats.csv_rows import iterate_csv_rows
from personamem.loaders.formats.files import find_file
from personamem.loaders.formats.schema import LETTERS, Message, Question
from personamem.loaders.personamem.questions import Reject
from personamem.loaders.personamem.version2.histories import HistoryContexts, HistoryIndex
from personamem.loaders.personamem.version2.records import SPLITS, TABLE, TABLES, Version2Row
from personamem.loaders.personamem.version2.rows import name_link, read_rows

_FIRST_ROWS = 100


@dataclass(frozen=True, slots=True)
class Version2Question:
    """A row as a question; ``place`` has the indices of its snippet in the history.

    ``place`` is None where the history lacks the snippet.
    """

    row: Version2Row
    question: Question
    place: tuple[int, ...] | None

    @property
    def is_answerable(self) -> bool:
        """Whether the row measures memory with this history.

        A sensitive row does not if the history lacks its snippet, as in the official histories,
        whose builder skips conversations without a preference: nothing there could be leaked. Of
        other rows a snippet may be lost too, but what they ask about may stand elsewhere.
        """
        return self.place is not None or self.row.kind != "sensitive"


def read_version2(
    folder: Path, split: str, table: str = "benchmark", reject: Reject | None = None
) -> tuple[tuple[Version2Question, ...], HistoryContexts]:
    """Read the questions over the histories of size ``split``, and those histories' store.

    ``question_type`` is the release's ``pref_type``, ``topic`` its ``topic_query``; a question sees
    its whole history. Each history is parsed once, for its length and its questions' snippets, and
    not kept. With ``reject``, rows that do not hold are left out, and it hears the error of each.

    Raises:
        DatasetError: not UTF-8, columns missing, a row or a history that does not hold.
    """
    name = TABLES[table]
    rows = read_rows(folder / name, split, reject)
    contexts = HistoryContexts(folder, name, [row.histories[split].link for row in rows])
    by_link: dict[str, list[Version2Row]] = {}
    for row in rows:
        by_link.setdefault(row.histories[split].link, []).append(row)
    made: dict[int, Version2Question] = {}
    for link, group in by_link.items():
        messages = contexts.read(link).messages
        index, letters = HistoryIndex(messages), _count_letters(messages)
        for row in group:
            question = _make_question(row, split, len(messages), letters)
            made[row.number] = Version2Question(row, question, index.find(row.snippet))
    return tuple(made[row.number] for row in rows), contexts


def map_snippets(entries: Sequence[Version2Question]) -> dict[str, tuple[int, ...]]:
    """Return the places of snippets by question id; none where the history lacks the snippet."""
    return {entry.question.question_id: entry.place or () for entry in entries}


def find_splits(folder: Path) -> list[str]:
    """Return the sizes to whose histories the first rows of the release in ``folder`` link.

    Raises:
        DatasetError: the table is no CSV in UTF-8.
    """
    header: list[str] = []
    with closing(iterate_csv_rows(find_file(folder, TABLE), header.extend)) as rows:
        first = [row for _, row in islice(rows, _FIRST_ROWS)]
    named = [split for split in SPLITS if name_link(split) in header]
    return [split for split in named if not first or any(row[name_link(split)] for row in first)]


def _make_question(row: Version2Row, split: str, messages: int, letters: int) -> Question:
    options = _order_options(row.user_query, [row.correct_answer, *row.incorrect_answers])
    index = options.index(row.correct_answer)
    facts = row.histories[split]
    known = facts.distance is not None and facts.total_tokens
    share = f"{100 * (facts.distance or 0) / (facts.total_tokens or 1):.2f}%" if known else ""
    listed = [f"({letter}) {text}" for letter, text in zip(LETTERS, options, strict=True)]
    return Question(
        persona_id=row.persona_id,
        question_id=row.question_id,
        question_type=row.pref_type,
        topic=row.topic_query,
        context_length_in_tokens=facts.total_tokens,
        context_length_in_letters=letters,
        distance_to_ref_in_blocks=None,
        distance_to_ref_in_tokens=facts.distance,
        num_irrelevant_tokens=facts.irrelevant_tokens,
        distance_to_ref_proportion_in_context=share,
        user_question_or_message=row.user_query,
        correct_answer=f"({LETTERS[index]})",
        all_options=json.dumps(listed, ensure_ascii=False),
        shared_context_id=facts.link,
        end_index_in_shared_context=messages,
        options=options,
        answer_index=index,
    )


def _order_options(query: str, options: Sequence[str]) -> tuple[str, ...]:
    def digest(option: str) -> str:
        return hashlib.sha256(f"{query}\x1f{option}".encode()).hexdigest()

    return tuple(sorted(options, key=digest))


def _count_letters(messages: Sequence[Message]) -> int:
    return sum(len(message["content"]) for message in messages)
