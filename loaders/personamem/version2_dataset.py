"""The second release in full: its questions over their histories, and all that a row says.

``load_version2`` gives every column, finds the snippets, and reads the tables for training as well;
``load_personamem`` gives the questions alone, as of any dataset.
"""

from collections.abc import Sequence
from pathlib import Path

from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.schema import Message, Question
from personamem.loaders.formats.sources import parse_source
from personamem.loaders.personamem.checks import check_questions
from personamem.loaders.personamem.dataset import PersonaMem
from personamem.loaders.personamem.files import locate_version2
from personamem.loaders.personamem.version2.questions import (
    Version2Question,
    map_snippets,
    read_version2,
)
from personamem.loaders.personamem.version2.records import TABLES, Version2Row

VERSION2_SOURCE = "bowen-upenn/PersonaMem-v2"
"""Hub id of the official second release."""


class PersonaMemV2:
    """A table of the second release over the histories of one size.

    ``data`` has the questions and reads the histories; ``entries`` are in the order of the table.
    """

    def __init__(self, data: PersonaMem, entries: Sequence[Version2Question]) -> None:
        """Join the parts; ``load_version2`` does this for files."""
        self.data = data
        self.entries = tuple(entries)
        self._by_id = {entry.question.question_id: entry for entry in entries}

    def __repr__(self) -> str:
        return f"PersonaMemV2({self.data!r})"

    def entry_of(self, question: Question) -> Version2Question:
        """Return the row of a question, with where its snippet is."""
        return self._by_id[question.question_id]

    def row_of(self, question: Question) -> Version2Row:
        """Return all that the release says of a question."""
        return self.entry_of(question).row

    @property
    def absent(self) -> tuple[Version2Question, ...]:
        """The questions whose snippet their history lacks."""
        return tuple(entry for entry in self.entries if entry.place is None)

    @property
    def unanswerable(self) -> tuple[Version2Question, ...]:
        """The questions that no history can help with; see ``Version2Question.is_answerable``."""
        return tuple(entry for entry in self.entries if not entry.is_answerable)

    def profile_for(self, question: Question) -> list[Message]:
        """Return the messages before the first of the user: who the persona is."""
        profile: list[Message] = []
        for message in self.data.context(question.shared_context_id):
            if message["role"] != "system":
                break
            profile.append(message)
        return profile

    def keep(self, entries: Sequence[Version2Question]) -> "PersonaMemV2":
        """Return the same over some of the questions."""
        return PersonaMemV2(self.data.keep([entry.question for entry in entries]), entries)


def load_version2(
    source: str | Path, split: str, table: str = "benchmark", revision: str | None = None
) -> PersonaMemV2:
    """Load a table of the official second release.

    Args:
        source: a local folder, or a Hub id ``owner/name``, optionally ``owner/name@revision``.
            From the Hub only the table and the histories that it links to are fetched.
        split: the size of the histories, ``32k`` or ``128k``.
        table: ``benchmark``, ``train`` or ``val``. The personas of the other two overlap.
        revision: tag, branch or commit of a Hub id. An error for a local folder.

    Raises:
        DatasetNotFoundError: the folder, repository or revision does not exist.
        DatasetError: a file is missing, or a row or a history does not hold.
        InvalidInputError: an unknown table or size, or a revision that cannot apply.
    """
    if table not in TABLES:
        raise unknown_choice("table", table, TABLES)
    parsed = parse_source(source, revision)
    files = locate_version2(parsed, split, table)
    entries, contexts = read_version2(files.folder, split, table)
    questions = [entry.question for entry in entries]
    check_questions(files.questions, questions, contexts)
    data = PersonaMem(
        questions,
        contexts,
        None,
        split=split,
        source=str(parsed),
        snippets=map_snippets(entries),
    )
    return PersonaMemV2(data, entries)
