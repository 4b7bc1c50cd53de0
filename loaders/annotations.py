"""Why the gold option is the gold: the rows of ``annotations/<split>.parquet``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.dataset_builder.errors import DatasetError
from personamem.dataset_builder.schema import ANNOTATIONS_SCHEMA
from personamem.loaders.questions import read_table


@dataclass(frozen=True, slots=True)
class Annotation:
    """One question's annotation; the fields are the columns of ``ANNOTATIONS_SCHEMA``.

    ``evidence_message_indices`` point into the shared context and prove the gold;
    ``related_message_indices`` also hold the mentions of the other three options.
    """

    question_id: str
    quad_id: str
    pair_id: str
    pair_position: str
    thread_id: str
    asked_on: str
    option_roles: tuple[str, ...]
    option_keys: tuple[str, ...]
    evidence_message_indices: tuple[int, ...]
    related_message_indices: tuple[int, ...]


def read_annotations(path: Path) -> dict[str, Annotation]:
    """Read annotations by question id.

    Raises:
        DatasetError: not Parquet, columns missing or of another type, a question id twice.
    """
    annotations: dict[str, Annotation] = {}
    for number, row in enumerate(read_table(path, ANNOTATIONS_SCHEMA).to_pylist(), start=1):
        annotation = make_annotation(row)
        if annotation.question_id in annotations:
            raise DatasetError(
                f"{path}, row {number}: question {annotation.question_id} occurs twice."
            )
        annotations[annotation.question_id] = annotation
    return annotations


def make_annotation(row: Mapping[str, Any]) -> Annotation:
    """Return a row whose keys are the columns of ``ANNOTATIONS_SCHEMA`` as an annotation."""
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
    }
    return Annotation(**values)
