"""Reading the open questions of a dataset of ours.

    manifest.json                    size, digest and rows of every file
    communities.json                 people and how they are related
    open_questions/<split>.parquet   questions, answers, and the sessions that reveal them
    documents/<split>.parquet        the documents of the people who ask

A split is a noise level. All have the same questions; the rows are ``OpenQuestionRow`` and
``DocumentRow``.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.json_files import parse_json
from personamem.loaders.formats.manifest import MANIFEST, check_file, read_manifest
from personamem.loaders.formats.parquet import read_records
from personamem.loaders.formats.records import show_value
from personamem.loaders.formats.sources import Source, find_files
from personamem.loaders.personabench.checks import make_gold, refuse_duplicates
from personamem.loaders.personabench.official_format import TIME_FORMAT, read_answer, read_form
from personamem.loaders.personabench.records import (
    Archive,
    Community,
    GroundedQuestion,
    Person,
    Question,
    Relation,
    Session,
)
from personamem.loaders.personabench.schema import (
    NOISE_SPLITS,
    DocumentRow,
    OpenQuestionRow,
)

COMMUNITIES = "communities.json"


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
        path = self.find_file(COMMUNITIES)
        forms = read_form(path, list[_CommunityForm])
        refuse_duplicates(path, "community", [form.name for form in forms])
        questions_file = self.find_file(f"open_questions/{self._splits[self.noises[0]]}.parquet")
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
        documents = self.find_file(f"documents/{split}.parquet")
        questions = self.find_file(f"open_questions/{split}.parquet")
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

    def find_file(self, name: str) -> Path:
        """Return a file of the dataset, fetched and checked against the manifest.

        An audit, which has checked all files before, overrides it.
        """
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


def _read_questions(path: Path) -> Iterator[tuple[str, Question, dict[str, tuple[str, ...]]]]:
    """Yield what to call a question in an error, the question, and session ids by gold value."""
    rows = read_records(path, OpenQuestionRow)
    refuse_duplicates(path, "question_id", [row.question_id for _, row in rows])
    for place, row in rows:
        where = f"{place}, question {row.question_id!r}"
        gold = {value.value: value.session_ids for value in row.gold}
        if not gold or not all(gold.values()) or len(gold) < len(row.gold):
            raise DatasetError(
                f"{where}: gold is {show_value([value.value for value in row.gold])}. Accepted: "
                "one value or more, each once and with a session."
            )
        yield where, _make_question(where, row), gold


def _make_question(where: str, row: OpenQuestionRow) -> Question:
    _require_texts(where, row, ("question_id", "community", "person", "question"))
    try:
        answer = read_answer(parse_json(row.answer))
        outdated = parse_json(row.outdated_values)
        former = read_answer(outdated) if outdated else ()
    except ValueError as error:
        raise DatasetError(
            f"{where}: answer {show_value(row.answer)}, outdated_values "
            f"{show_value(row.outdated_values)}: JSON is expected: {error}."
        ) from error
    return Question(
        question_id=row.question_id,
        community=row.community,
        person=row.person,
        text=row.question,
        answer=answer,
        question_type=row.question_type,
        difficulty=row.difficulty,
        outdated_values=former if isinstance(former, tuple) else (former,),
    )


def _read_sessions(
    path: Path, people: Mapping[tuple[str, str], Person]
) -> dict[tuple[str, str], list[Session]]:
    """Return the sessions by community and person, in the order of the rows."""
    rows = read_records(path, DocumentRow)
    if not rows:
        raise DatasetError(f"{path} holds not a single session.")
    refuse_duplicates(path, "session_id", [row.session_id for _, row in rows])
    sessions: dict[tuple[str, str], list[Session]] = {}
    for place, row in rows:
        where = f"{place}, session {row.session_id!r}"
        key = (row.community, row.person)
        if key not in people:
            raise DatasetError(
                f"{where} is of {key[1]!r} in {key[0]!r}, who is not in {COMMUNITIES}."
            )
        sessions.setdefault(key, []).append(_make_session(where, row))
    return sessions


def _make_session(where: str, row: DocumentRow) -> Session:
    _require_texts(where, row, ("session_id",))
    if (row.kind == "conversation") != bool(row.partner):
        raise DatasetError(f"{where}: a {row.kind} with the partner {row.partner!r}.")
    bought = row.kind == "purchase_history"
    if bool(row.messages) == bought or bool(row.purchases) != bought:
        raise DatasetError(
            f"{where}: a {row.kind} with {len(row.messages)} messages and {len(row.purchases)} "
            "purchases."
        )
    return Session(
        session_id=row.session_id,
        kind=row.kind,
        timestamp=row.time.strftime(TIME_FORMAT),
        time=row.time,
        partner=row.partner or None,
        messages=row.messages,
        purchases=row.purchases,
    )


def _require_texts(where: str, row: object, names: Sequence[str]) -> None:
    for name in names:
        if not getattr(row, name):
            raise DatasetError(f"{where}: {name} is empty; a text is expected.")
