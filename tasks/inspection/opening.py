"""The lm-eval task behind a task of inspect-ai: it selects, renders, reads and scores."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from personamem.tasks.registry import TASKS_FOLDER

if TYPE_CHECKING:
    from personamem.tasks.models.prompting import PromptingTask

OPEN_TASKS = 8
"""Tasks that are kept: solver, scorer and metrics of a task each ask for it by its name."""

Settings = Mapping[str, Any]
"""What lm-eval takes as ``--metadata``: plain values that JSON has."""


def open_task(family: str, name: str, settings: Settings) -> "PromptingTask":
    """Return a task of lm-eval's, loaded once for all who ask for it.

    Raises:
        PersonamemError: the dataset or a setting cannot be used.
    """
    return _load(family, name, json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=OPEN_TASKS)
def _load(family: str, name: str, settings: str) -> "PromptingTask":
    # Imported here: inspect-ai imports this package also where none of its tasks is run.
    from lm_eval.tasks import TaskManager

    manager = TaskManager(
        include_path=str(TASKS_FOLDER / family),
        include_defaults=False,
        metadata=json.loads(settings),
    )
    task: PromptingTask = manager.load([name])["tasks"][name]
    return task
