"""``.eval_results``: what a model reached, in the form in which its repository tells the Hub.

The Hub shows the files ``.eval_results/*.yaml`` of a model's repository on the pages of the model
and of the benchmark (https://huggingface.co/docs/hub/eval-results). A folder is written for each
model, to be copied into its repository.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import yaml

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.sources import parse_source
from personamem.loaders.formats.whole_files import write_whole

FOLDER = ".eval_results"


@dataclass(frozen=True, slots=True)
class ModelScore:
    """A model's accuracy, from 0 to 1, on a whole task of ``eval.yaml``.

    ``dataset`` is where it was read from; ``date`` is in seconds since 1970.
    """

    model: str
    task: str
    dataset: str
    value: float
    questions: int
    date: float


def write_eval_results(folder: Path, scores: Sequence[ModelScore], dataset: str = "") -> list[Path]:
    """Write ``MODEL/.eval_results/DATASET.yaml`` below ``folder`` for each model; return the files.

    ``dataset`` is the Hub id, with "@revision" or without; by default each score's own.

    Raises:
        InvalidInputError: no score, or a dataset that is no Hub id.
    """
    # Imported here: it takes a while.
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    if not scores:
        raise InvalidInputError(
            "No result can go into .eval_results. Accepted: runs on all questions of tasks that "
            "eval.yaml describes, such as personamem_32k."
        )
    entries: dict[Path, list[EvalResultEntry]] = {}
    for score in scores:
        name, revision = _find_hub_id(dataset or score.dataset)
        place = folder / _name_folder(score.model) / FOLDER / f"{name.replace('/', '__')}.yaml"
        entries.setdefault(place, []).append(
            EvalResultEntry(
                dataset_id=name,
                task_id=score.task,
                value=round(score.value, 6),
                dataset_revision=revision,
                date=datetime.fromtimestamp(score.date, UTC).date().isoformat(),
                notes=f"accuracy, {score.questions} questions",
            )
        )
    for place, found in entries.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        data = eval_result_entries_to_yaml(found)
        write_whole(place, yaml.safe_dump(data, sort_keys=False, allow_unicode=True))
    return list(entries)


def _find_hub_id(dataset: str) -> tuple[str, str | None]:
    source = None if Path(dataset).exists() else parse_source(dataset)
    if source is None or source.hub_id is None:
        raise InvalidInputError(
            f"{dataset} is no Hub id, and the Hub shows scores of datasets there. Accepted: "
            "--dataset-id OWNER/NAME, or OWNER/NAME@REVISION."
        )
    return source.hub_id, source.revision


def _name_folder(model: str) -> str:
    """Return a name for a model's folder: of a path the last part, of a Hub id all of it."""
    name = Path(model).name if Path(model).is_absolute() else model
    return re.sub(r"[^\w.-]+", "__", name).strip(".") or "model"
