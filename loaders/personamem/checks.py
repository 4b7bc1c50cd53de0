"""What the files of a split must agree on, row by row: questions, contexts, annotations."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.schema import LETTERS, Annotation, Question
from personamem.loaders.personamem.contexts import ContextStore


def check_questions(path: Path, questions: Sequence[Question], contexts: ContextStore) -> None:
    """Check that ids are unique and that every question has a context that reaches its end index.

    Raises:
        DatasetError: one does not, or there are no questions; the row is named.
    """
    if not questions:
        raise DatasetError(f"{path} holds no questions.")
    known = set(contexts.ids)
    rows: dict[str, int] = {}
    for number, question in enumerate(questions, start=1):
        where = f"{path}, row {number}, question {question.question_id}"
        first = rows.setdefault(question.question_id, number)
        if first != number:
            raise DatasetError(f"{where}: question_id occurs twice, first in row {first}.")
        if question.shared_context_id not in known:
            raise DatasetError(
                f"{where}: there is no context {question.shared_context_id!r} in the split's "
                f"{len(known)} contexts."
            )
        length = contexts.length_of(question.shared_context_id)
        end_index = question.end_index_in_shared_context
        if end_index < 1 or (length is not None and end_index > length):
            raise make_end_index_error(where, question, length)


def make_end_index_error(where: str, question: Question, length: int | None) -> DatasetError:
    """Return the error for an end index outside of a context of ``length`` messages."""
    upper = "the context's number of messages" if length is None else length
    return DatasetError(
        f"{where}: end_index_in_shared_context is {question.end_index_in_shared_context} in "
        f"context {question.shared_context_id}. Accepted: 1 to {upper}."
    )


def check_annotations(
    path: Path, questions: Sequence[Question], annotations: Mapping[str, Annotation]
) -> None:
    """Check that every question has one annotation that fits it, and that there are no others.

    Raises:
        DatasetError: it does not; the row is named.
    """
    by_id = {question.question_id: question for question in questions}
    for number, annotation in enumerate(annotations.values(), start=1):
        where = f"{path}, row {number}"
        if annotation.question_id not in by_id:
            raise DatasetError(
                f"{where}: there is no question {annotation.question_id!r} in the split's "
                f"{len(by_id)} questions."
            )
        _check_annotation(
            f"{where}, question {annotation.question_id}",
            annotation,
            by_id[annotation.question_id].end_index_in_shared_context,
        )
    for question in questions:
        if question.question_id not in annotations:
            raise DatasetError(f"{path} has no row for question {question.question_id}.")


def _check_annotation(where: str, annotation: Annotation, end_index: int) -> None:
    for name in ("option_roles", "option_keys"):
        values = getattr(annotation, name)
        if len(values) != len(LETTERS):
            raise DatasetError(
                f"{where}: {name} has {len(values)} values. Accepted: {len(LETTERS)}, one an "
                "option."
            )
    for name in ("evidence_message_indices", "related_message_indices"):
        for index in getattr(annotation, name):
            if not 0 <= index < end_index:
                raise DatasetError(
                    f"{where}: {name} holds {index}. Accepted: 0 to {end_index - 1}, the messages "
                    "that the question sees."
                )
    unrelated = {*annotation.evidence_message_indices} - {*annotation.related_message_indices}
    if unrelated:
        raise DatasetError(
            f"{where}: related_message_indices lack {min(unrelated)}. Accepted: those that hold "
            "all evidence_message_indices."
        )
    evidence, related = annotation.evidence_message_indices, annotation.related_message_indices
    for name, lowest, highest in (
        ("updates", 0, end_index),
        ("sessions_per_answer", min(1, len(evidence)), len(evidence)),
        ("distractors", 0, len(related)),
    ):
        count = getattr(annotation, name)
        if not lowest <= count <= highest:
            raise DatasetError(f"{where}: {name} is {count}. Accepted: {lowest} to {highest}.")
    if bool(annotation.pair_id) != bool(annotation.pair_position):
        raise DatasetError(
            f"{where}: pair_id is {annotation.pair_id!r}, pair_position "
            f"{annotation.pair_position!r}. Accepted: both, or neither."
        )
