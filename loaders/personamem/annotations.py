"""Why the gold option is the gold: the rows of ``annotations/<split>.parquet``."""

from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.schema import ANNOTATIONS_SCHEMA, Annotation, make_annotation
from personamem.loaders.personamem.questions import read_table


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
