"""Answers to a task, sample by sample, whoever logged them: lm-eval (``.jsonl``) or inspect-ai.

Logs of inspect-ai (``.eval``) give the rows that lm-eval's ``--log_samples`` writes.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jsonlines

from personamem.dataset_builder.families.inspect_logs import (
    SUFFIX,
    read_inspect_log,
    read_inspect_samples,
)
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.json_files import parse_json


def read_rows(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield what to call each sample in an error, and lm-eval's row of it.

    Raises:
        PersonamemError: a log of inspect-ai, which is not installed.
        DatasetError: the file is none, cannot be read, or is a log of another task, or of a run
            that did not end.
    """
    if path.exists() and not path.is_file():
        raise DatasetError(f"{path} is not a regular file.")
    if path.suffix == SUFFIX:
        yield from _read_log(path)
        return
    try:
        # Log-likelihoods may be infinite.
        with jsonlines.open(path, loads=partial(parse_json, allow_nan=True)) as rows:
            for number, row in enumerate(rows, start=1):
                yield f"{path}, line {number}", row
    except (OSError, UnicodeDecodeError, jsonlines.InvalidLineError) as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error


def name_run(path: Path) -> tuple[str, str, str]:
    """Return the model, the task and the date of a file of samples.

    lm-eval states them in the path, ``MODEL/samples_TASK_DATE.jsonl``, inspect-ai in the log.
    """
    if path.suffix == SUFFIX and path.is_file():
        content = read_inspect_log(path)
        if content:
            model = str(content["model_name"]).rpartition("/")[2]
            return model, *content["results"], f"{content['date']:.0f}"
    task, _, date = path.stem.removeprefix("samples_").rpartition("_")
    # lm-eval writes the slashes of a model's name as two underscores.
    model = path.absolute().parent.name.rpartition("__")[2]
    return model, task or date, date


def _read_log(path: Path) -> Iterator[tuple[str, Any]]:
    if not path.exists():
        raise DatasetError(f"{path} cannot be read: no such file.")
    if not read_inspect_log(path):
        raise DatasetError(
            f"{path} is a log of inspect-ai, but of no personamem task. Accepted: logs of "
            "personamem/personamem_... and the like, and of the Hub's tasks on datasets of ours."
        )
    for number, row in enumerate(read_inspect_samples(path), start=1):
        yield f"{path}, sample {number}", row
