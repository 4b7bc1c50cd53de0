"""The tasks of this folder on inspect-ai."""

from personamem.tasks.inspection.register import register_tasks
from personamem.tasks.personabench.family import FAMILY

SETTINGS = ("retriever", "k", "chunks")
TASKS = register_tasks(FAMILY, FAMILY.modes[0], SETTINGS)
