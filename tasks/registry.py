"""The families as lm-eval's tasks know them, and the folder that holds their files."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.registry import FAMILIES, RELEASES
from personamem.tasks.families import TaskFamily

TASKS_FOLDER = Path(__file__).resolve().parent
"""What ``lm_eval --include_path`` takes: a folder with a folder of YAML files for each family."""


def list_task_families() -> Iterator[TaskFamily]:
    """Yield the tasks of every family, in the order of the registry, then those of releases."""
    modules = (*(family.tasks for family in FAMILIES.values()), *RELEASES)
    return (import_module(module).FAMILY for module in modules)


def list_splits() -> list[str]:
    """Return the names of all splits, each once."""
    return list(dict.fromkeys(name for family in list_task_families() for name in family.splits))


def find_family(split: str) -> TaskFamily:
    """Return the first family whose datasets have a split of this name.

    Raises:
        InvalidInputError: no family has it; all splits are named.
    """
    for family in list_task_families():
        if split in family.splits:
            return family
    raise unknown_choice("split", split, list_splits())
