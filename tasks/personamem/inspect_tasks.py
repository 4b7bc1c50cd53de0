"""The generating tasks of this folder on inspect-ai."""

from personamem.tasks.inspection.register import NO_LIKELIHOODS, refuse_tasks, register_tasks
from personamem.tasks.personamem.family import FAMILY, GENERATE, LOGLIKELIHOOD

SETTINGS = ("retriever", "k", "memory", "budget", "memory_folder", "memory_options")
TASKS = register_tasks(FAMILY, GENERATE, SETTINGS)
REFUSED = refuse_tasks(FAMILY, LOGLIKELIHOOD, NO_LIKELIHOODS)
