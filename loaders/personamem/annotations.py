"""Why the gold option is the gold: the rows of ``annotations/<split>.parquet``."""

from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.parquet import read_records
from personamem.loaders.formats.schema import Annotation


def read_annotations(path: Path) -> dict[str, Annotation]:
    """Read annotations by question id.

    Raises:
        DatasetError: not Parquet, columns missing or of another type, a null, a question id twice.
    """
    annotations: dict[str, Annotation] = {}
    for where, annotation in read_records(path, Annotation):
        if annotation.question_id in annotations:
            raise DatasetError(f"{where}: question {annotation.question_id} occurs twice.")
        annotations[annotation.question_id] = annotation
    return annotations
