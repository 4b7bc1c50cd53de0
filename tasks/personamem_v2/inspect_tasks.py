"""The tasks of this folder on inspect-ai that have a letter generated."""

from personamem.tasks.inspection.register import register_tasks
from personamem.tasks.personamem_v2.family import FAMILY, GENERATE

SETTINGS = (
    *("protocol", "table", "retriever", "k"),
    *("memory", "budget", "memory_folder", "memory_options"),
)
TASKS = register_tasks(FAMILY, GENERATE, SETTINGS)
