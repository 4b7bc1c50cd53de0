"""Reading the open questions of a dataset of ours.

    manifest.json                    size, digest and rows of every file
    communities.json                 people and how they are related
    open_questions/<split>.parquet   questions, answers, and the sessions that reveal them
    documents/<split>.parquet        the documents of the people who ask

A split is a noise level. All have the same questions; the columns are those of
``OPEN_QUESTIONS_SCHEMA`` and ``DOCUMENTS_SCHEMA``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.manifest import MANIFEST, check_file, read_manifest
from personamem.loaders.formats.sources import Source, find_files
from personamem.loaders.personabench.checks import make_gold, refuse_duplicates
from personamem.loaders.personabench.official_format import TIME_FORMAT, read_answer, read_form
from personamem.loaders.personabench.records import (
    Archive,
    Community,
    Difficulty,
    GroundedQuestion,
    Person,
    Question,
    QuestionType,
    Relation,
    Session,
)
from personamem.loaders.personabench.schema import (
    DOCUMENTS_SCHEMA,
    NOISE_SPLITS,
    OPEN_QUESTIONS_SCHEMA,
    DocumentKind,
    Purchase,
    Utterance,
)
from personamem.loaders.personamem.questions import read_table

COMMUNITIES = "communities.json"

_Row = Mapping[str, Any]


class OurDataset:
    """A dataset whose manifest lists communities; files are fetched and checked when read."""

    def __init__(self, source: Source, folder: Path) -> None:
        """Read the manifest in ``folder``.

        Raises:
            DatasetError: it is no manifest, or lists no communities with documents.
        """
        # What is fetched later is of the same commit.
        self._source = source if source.hub_id is None else replace(source, revision=folder.name)
        self._manifest = read_manifest(folder / MANIFEST)
        self._splits = {
            noise: split
            for split, noise in NOISE_SPLITS.items()
            if self._manifest.lists(f"documents/{split}.parquet")
        }
        if not self._splits or not self._manifest.lists(COMMUNITIES):
            raise DatasetError(
                f"{source} has no open questions: its {MANIFEST} lists no {COMMUNITIES} with "
                f"documents/<split>.parquet. Accepted splits: {', '.join(NOISE_SPLITS)}."
            )

    @property
    def noises(self) -> tuple[float, ...]:
        """The noise levels, lowest first."""
        return tuple(self._splits)

    def read_communities(self) -> tuple[Community, ...]:
        """Read people, relations and questions.

        Raises:
            DatasetError: a file is missing, changed, malformed, or names a person nobody knows.
        """
        path = self._find(COMMUNITIES)
        forms = read_form(path, list[_CommunityForm])
        refuse_duplicates(path, "community", [form.name for form in forms])
        questions_file = self._find(f"open_questions/{self._splits[self.noises[0]]}.parquet")
        questions = [question for _, question, _ in _read_questions(questions_file)]
        known = {form.name for form in forms}
        for question in questions:
            if question.community not in known:
                raise DatasetError(
                    f"{questions_file}, question {question.question_id!r} is of community "
                    f"{question.community!r}. Accepted: {', '.join(sorted(known))}."
                )
        return tuple(
            _make_community(
                path, form, tuple(each for each in questions if each.community == form.name)
            )
            for form in forms
        )

    def read_archives(self, noise: float, communities: Sequence[Community]) -> tuple[Archive, ...]:
        """Read the documents of one noise level and join them with the questions.

        Raises:
            DatasetError: a file is missing, changed or malformed, a gold session does not exist, a
                person who asks has no documents, questions differ between noise levels.
        """
        split = self._splits[noise]
        documents = self._find(f"documents/{split}.parquet")
        questions = self._find(f"open_questions/{split}.parquet")
        people = {
            (community.name, person.name): person
            for community in communities
            for person in community.people
        }
        sessions = _read_sessions(documents, people)
        expected = {each.question_id: each for group in communities for each in group.questions}
        grounded: dict[tuple[str, str], list[GroundedQuestion]] = {key: [] for key in sessions}
        for where, question, gold in _read_questions(questions):
            key = (question.community, question.person)
            if expected.pop(question.question_id, None) != question:
                raise DatasetError(f"{where} is not the same at every noise level.")
            if key not in sessions:
                raise DatasetError(f"{where} is asked by {key[1]!r}, who has no documents.")
            ids = {session.session_id for session in sessions[key]}
            values = make_gold(where, gold, key[1], ids)
            grounded[key].append(GroundedQuestion(question, values))
        if expected:
            raise DatasetError(f"{questions} lacks question {next(iter(expected))!r}.")
        return tuple(
            Archive(people[key], noise, tuple(own), tuple(grounded[key]))
            for key, own in sessions.items()
        )

    def _find(self, name: str) -> Path:
        path = find_files(self._source, [name]) / name
        check_file(self._manifest, name, path)
        return path


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _PersonForm(_Form):
    name: str
    persona: str


class _RelationForm(_Form):
    source: str
    target: str
    relationship: str
    description: str


class _CommunityForm(_Form):
    name: str
    people: list[_PersonForm]
    relations: list[_RelationForm]


def _make_community(path: Path, form: _CommunityForm, questions: tuple[Question, ...]) -> Community:
    people = tuple(Person(form.name, each.name, each.persona) for each in form.people)
    names = [person.name for person in people]
    refuse_duplicates(path, f"in {form.name}, person", names)
    mentioned = [name for edge in form.relations for name in (edge.source, edge.target)]
    for name in (*mentioned, *(question.person for question in questions)):
        if name not in names:
            raise DatasetError(
                f"{path}: {name!r} is related to others or asks questions, but is not among the "
                f"people of {form.name}: {', '.join(names)}."
            )
    relations = tuple(
        Relation(edge.source, edge.target, edge.relationship, edge.description)
        for edge in form.relations
    )
    return Community(form.name, people, relations, questions)


def _read_questions(path: Path) -> Iterator[tuple[str, Question, dict[str, list[str]]]]:
    """Yield what to call a question in an error, the question, and session ids by gold value."""
    rows = read_table(path, OPEN_QUESTIONS_SCHEMA).to_pylist()
    refuse_duplicates(path, "question_id", [str(row["question_id"]) for row in rows])
    for number, row in enumerate(rows, start=1):
        where = f"{path}, row {number}, question {row['question_id']!r}"
        gold = {value["value"]: value["session_ids"] for value in row["gold"] or ()}
        if not gold or not all(gold.values()):
            raise DatasetError(f"{where}: gold holds no value, or one without a session.")
        yield where, _make_question(where, row), gold


def _make_question(where: str, row: _Row) -> Question:
    outdated = _parse(where, row, "outdated_values")
    try:
        answer = read_answer(_parse(where, row, "answer"))
        former = read_answer(outdated) if outdated else ()
    except ValueError as error:
        raise DatasetError(
            f"{where}: answer {row['answer']!r}, outdated_values {row['outdated_values']!r}: "
            f"{error}."
        ) from error
    return Question(
        question_id=_read_text(where, row, "question_id"),
        community=_read_text(where, row, "community"),
        person=_read_text(where, row, "person"),
        text=_read_text(where, row, "question"),
        answer=answer,
        question_type=_choose(where, row, "question_type", get_args(QuestionType)),
        difficulty=_choose(where, row, "difficulty", get_args(Difficulty)),
        outdated_values=former if isinstance(former, tuple) else (former,),
    )


def _read_sessions(
    path: Path, people: Mapping[tuple[str, str], Person]
) -> dict[tuple[str, str], list[Session]]:
    """Return the sessions by community and person, in the order of the rows."""
    rows = read_table(path, DOCUMENTS_SCHEMA).to_pylist()
    if not rows:
        raise DatasetError(f"{path} holds not a single session.")
    refuse_duplicates(path, "session_id", [str(row["session_id"]) for row in rows])
    sessions: dict[tuple[str, str], list[Session]] = {}
    for number, row in enumerate(rows, start=1):
        where = f"{path}, row {number}, session {row['session_id']!r}"
        key = (row["community"], row["person"])
        if key not in people:
            raise DatasetError(
                f"{where} is of {key[1]!r} in {key[0]!r}, who is not in {COMMUNITIES}."
            )
        sessions.setdefault(key, []).append(_make_session(where, row))
    return sessions


def _make_session(where: str, row: _Row) -> Session:
    kind: DocumentKind = _choose(where, row, "kind", get_args(DocumentKind))
    if row["time"] is None:
        raise DatasetError(f"{where} has no time.")
    if (kind == "conversation") != bool(row["partner"]):
        raise DatasetError(f"{where}: a {kind} with the partner {row['partner']!r}.")
    messages = tuple(Utterance(each["role"], each["content"]) for each in row["messages"] or ())
    purchases = tuple(
        Purchase(each["title"], each["description"], each["brand"], tuple(each["categories"]))
        for each in row["purchases"] or ()
    )
    bought = kind == "purchase_history"
    if bool(messages) == bought or bool(purchases) != bought:
        raise DatasetError(
            f"{where}: a {kind} with {len(messages)} messages and {len(purchases)} purchases."
        )
    return Session(
        session_id=_read_text(where, row, "session_id"),
        kind=kind,
        timestamp=row["time"].strftime(TIME_FORMAT),
        time=row["time"],
        partner=row["partner"] or None,
        messages=messages,
        purchases=purchases,
    )


def _parse(where: str, row: _Row, name: str) -> object:
    try:
        return json.loads(row[name])
    except (TypeError, json.JSONDecodeError) as error:
        raise DatasetError(f"{where}: {name} is {row[name]!r}; JSON is expected.") from error


def _read_text(where: str, row: _Row, name: str) -> str:
    if not row[name]:
        raise DatasetError(f"{where}: {name} is empty; a text is expected.")
    return str(row[name])


def _choose(where: str, row: _Row, name: str, choices: tuple[str, ...]) -> Any:
    if row[name] not in choices:
        raise DatasetError(f"{where}: {name} is {row[name]!r}. Accepted: {', '.join(choices)}.")
    return row[name]
