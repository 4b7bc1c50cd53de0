"""The families of tasks, one line each, and the folder that holds their files."""

from pathlib import Path

from personamem.loaders.formats.errors import unknown_choice
from personamem.tasks.families import TaskFamily
from personamem.tasks.personabench.family import FAMILY as PERSONABENCH
from personamem.tasks.personamem.family import FAMILY as PERSONAMEM

FAMILIES: tuple[TaskFamily, ...] = (PERSONAMEM, PERSONABENCH)

TASKS_FOLDER = Path(__file__).resolve().parent
"""What ``lm_eval --include_path`` takes: a folder with a folder of YAML files for each family."""


def find_family(split: str) -> TaskFamily:
    """Return the family whose datasets have a split of this name.

    Raises:
        InvalidInputError: no family has it; all splits are named.
    """
    for family in FAMILIES:
        if split in family.splits:
            return family
    raise unknown_choice("split", split, (name for family in FAMILIES for name in family.splits))
