"""One split of a PersonaMem dataset: questions at once, contexts when asked for.

``load_personamem`` finds the files, checks them against the manifest (our layout), reads and checks
the questions, and indexes the contexts without reading them. ``PersonaMem`` then reads a context
when a question needs it and keeps the last few, so memory does not grow with the split.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.manifest import check_file
from personamem.loaders.formats.schema import Annotation, ContextRecord, Message, Question
from personamem.loaders.formats.sources import parse_source
from personamem.loaders.personamem.annotations import read_annotations
from personamem.loaders.personamem.checks import (
    check_annotations,
    check_questions,
    make_end_index_error,
)
from personamem.loaders.personamem.contexts import ContextStore, JsonlContexts, ParquetContexts
from personamem.loaders.personamem.files import Layout, SplitFiles, locate_split
from personamem.loaders.personamem.questions import read_csv_questions, read_parquet_questions
from personamem.loaders.personamem.version2.questions import map_snippets, read_version2

OFFICIAL_SOURCE = "bowen-upenn/PersonaMem"
"""Hub id of the official first release."""

CACHED_CONTEXTS = 4


def load_personamem(source: str | Path, split: str, revision: str | None = None) -> "PersonaMem":
    """Load one split of a dataset of ours or of an official release, v1 or v2.

    Args:
        source: a local folder, or a Hub id ``owner/name``, optionally ``owner/name@revision``.
            From the Hub only the files of this split are fetched.
        split: the size, for example ``32k``.
        revision: tag, branch or commit of a Hub id. An error for a local folder.

    Raises:
        DatasetNotFoundError: the folder, repository or revision does not exist.
        DatasetError: a file is missing, half-written, changed or inconsistent.
        InvalidInputError: an unknown split, or a revision that cannot apply.
    """
    parsed = parse_source(source, revision)
    files = locate_split(parsed, split)
    if files.layout is Layout.OURS:
        return _load_ours(files, str(parsed))
    return _load_official(files, str(parsed))


class PersonaMem:
    """Questions and lazily read contexts of one split.

    Holds at most ``CACHED_CONTEXTS`` parsed contexts. Messages are shared, never copied: treat them
    as read-only.
    """

    def __init__(
        self,
        questions: Sequence[Question],
        contexts: ContextStore,
        annotations: Mapping[str, Annotation] | None,
        *,
        split: str,
        source: str,
        snippets: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        """Join the parts; ``load_personamem`` does this for files.

        ``snippets`` are message indices by question id, where a release without annotations has
        them: of what reveals the answer, none where the context lacks it.
        """
        self.questions = tuple(questions)
        self.split = split
        self.source = source
        self.context_ids = tuple(contexts.ids)
        self._contexts = contexts
        self._annotations = annotations
        self._snippets = snippets
        self._by_context: dict[str, list[Question]] | None = None
        self._cache: OrderedDict[str, ContextRecord] = OrderedDict()

    def __repr__(self) -> str:
        return (
            f"PersonaMem(source={self.source!r}, split={self.split!r}, "
            f"questions={len(self.questions)}, contexts={len(self.context_ids)})"
        )

    @property
    def has_annotations(self) -> bool:
        """Whether ``evidence_for`` knows anything: yes for our datasets, no for official ones."""
        return self._annotations is not None

    def context(self, shared_context_id: str) -> Sequence[Message]:
        """Return all messages of a context.

        Raises:
            InvalidInputError: no such context.
            DatasetError: the file cannot be read.
        """
        return self._read(shared_context_id).messages

    def record(self, shared_context_id: str) -> ContextRecord:
        """Return a context with what its file states about it; raises as ``context`` does."""
        return self._read(shared_context_id)

    def session_starts(self, shared_context_id: str) -> tuple[int, ...]:
        """Return the message indices at which a context's sessions start, in ascending order.

        Official files do not record them; there a session starts at each system message.
        """
        return self._read(shared_context_id).session_starts

    def session_dates(self, shared_context_id: str) -> tuple[str, ...]:
        """Return the dates of a context's sessions, ISO 8601; empty for official releases."""
        return self._read(shared_context_id).session_dates

    def messages_for(self, question: Question) -> list[Message]:
        """Return what the question sees: ``context[:end_index]``, the messages by reference.

        Raises:
            DatasetError: the context is shorter than the question's end index.
        """
        messages = self.context(question.shared_context_id)
        if not 0 < question.end_index_in_shared_context <= len(messages):
            row = self.questions.index(question) + 1
            where = f"{self.source}, split {self.split}, row {row}, question"
            raise make_end_index_error(f"{where} {question.question_id}", question, len(messages))
        return list(messages[: question.end_index_in_shared_context])

    def evidence_for(self, question: Question) -> Annotation | None:
        """Return the question's annotation, or None where the release has none."""
        return None if self._annotations is None else self._annotations[question.question_id]

    def evidence_indices(self, question: Question) -> tuple[int, ...] | None:
        """Return the messages that reveal the answer, or None where the release does not say.

        They are those of the annotation, or of the snippet that the second release names.
        """
        annotation = self.evidence_for(question)
        if annotation is not None:
            return annotation.evidence_message_indices
        return None if self._snippets is None else tuple(self._snippets[question.question_id])

    def questions_of(self, shared_context_id: str) -> tuple[Question, ...]:
        """Return the questions of a context, by end index."""
        if self._by_context is None:
            self._by_context = {}
            for question in self.ordered_questions():
                self._by_context.setdefault(question.shared_context_id, []).append(question)
        return tuple(self._by_context.get(shared_context_id, ()))

    def ordered_questions(self) -> tuple[Question, ...]:
        """Return the questions by context (in file order), then by end index."""
        position = {identifier: i for i, identifier in enumerate(self.context_ids)}
        return tuple(
            sorted(
                self.questions,
                key=lambda q: (position[q.shared_context_id], q.end_index_in_shared_context),
            )
        )

    def keep(self, questions: Sequence[Question]) -> "PersonaMem":
        """Return the same dataset with only these of its questions; contexts are shared."""
        return PersonaMem(
            questions,
            self._contexts,
            self._annotations,
            split=self.split,
            source=self.source,
            snippets=self._snippets,
        )

    def pairs(self) -> Iterator[tuple[Question, list[Message]]]:
        """Yield every question with its messages, by context, then by end index.

        Each context is parsed once; only a few are in memory at a time.
        """
        for question in self.ordered_questions():
            yield question, self.messages_for(question)

    def _read(self, shared_context_id: str) -> ContextRecord:
        cached = self._cache.get(shared_context_id)
        if cached is not None:
            self._cache.move_to_end(shared_context_id)
            return cached
        if shared_context_id not in self.context_ids:
            raise unknown_choice(f"context of {self.source}", shared_context_id, self.context_ids)
        while len(self._cache) >= CACHED_CONTEXTS:
            self._cache.popitem(last=False)
        context = self._contexts.read(shared_context_id)
        self._cache[shared_context_id] = context
        return context


def _load_ours(files: SplitFiles, source: str) -> PersonaMem:
    assert files.manifest is not None
    for path in (files.questions, files.contexts, files.annotations):
        if path is not None:
            check_file(files.manifest, path.relative_to(files.folder).as_posix(), path)
    questions = read_parquet_questions(files.questions)
    contexts = ParquetContexts(files.contexts)
    check_questions(files.questions, questions, contexts)
    annotations = None
    if files.annotations is not None:
        annotations = read_annotations(files.annotations)
        check_annotations(files.annotations, questions, annotations)
    return PersonaMem(questions, contexts, annotations, split=files.split, source=source)


def _load_official(files: SplitFiles, source: str) -> PersonaMem:
    questions: Sequence[Question]
    contexts: ContextStore
    snippets = None
    if files.layout is Layout.VERSION_2:
        entries, contexts = read_version2(files.folder, files.split)
        questions, snippets = [entry.question for entry in entries], map_snippets(entries)
    else:
        questions = read_csv_questions(files.questions)
        contexts = JsonlContexts(files.contexts)
    check_questions(files.questions, questions, contexts)
    return PersonaMem(
        questions, contexts, None, split=files.split, source=source, snippets=snippets
    )
