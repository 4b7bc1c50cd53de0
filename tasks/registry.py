"""The families of tasks, and the folder that holds their files.

A family is a folder here with a module ``family`` that defines its table, ``FAMILY``.
"""

from importlib import import_module
from pathlib import Path

from personamem.loaders.formats.errors import unknown_choice
from personamem.tasks.families import TaskFamily

TASKS_FOLDER = Path(__file__).resolve().parent
"""What ``lm_eval --include_path`` takes: a folder with a folder of YAML files for each family."""


def _read_tables() -> tuple[TaskFamily, ...]:
    names = sorted(path.parent.name for path in TASKS_FOLDER.glob("*/family.py"))
    return tuple(import_module(f"personamem.tasks.{name}.family").FAMILY for name in names)


FAMILIES = _read_tables()


def find_family(split: str) -> TaskFamily:
    """Return the family whose datasets have a split of this name.

    Raises:
        InvalidInputError: no family has it; all splits are named.
    """
    for family in FAMILIES:
        if split in family.splits:
            return family
    raise unknown_choice("split", split, (name for family in FAMILIES for name in family.splits))
