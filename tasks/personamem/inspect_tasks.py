"""The generating tasks of this folder on inspect-ai."""

from personamem.tasks.inspection.register import register_tasks
from personamem.tasks.personamem.family import FAMILY, GENERATE

SETTINGS = ("retriever", "k", "memory", "budget", "memory_folder", "memory_options")
TASKS = register_tasks(FAMILY, GENERATE, SETTINGS)
