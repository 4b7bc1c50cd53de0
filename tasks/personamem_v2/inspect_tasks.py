"""The tasks of this folder on inspect-ai: a letter is generated, or an open reply and judged."""

from personamem.tasks.inspection.register import NO_LIKELIHOODS, refuse_tasks, register_tasks
from personamem.tasks.personamem_v2.family import FAMILY, GENERATE, LOGLIKELIHOOD, OPEN
from personamem.tasks.personamem_v2.inspect_judging import JUDGE, make_grading

SETTINGS = (
    *("protocol", "table", "retriever", "k"),
    *("memory", "budget", "memory_folder", "memory_options"),
)
TASKS = register_tasks(FAMILY, GENERATE, SETTINGS)
OPEN_TASKS = register_tasks(FAMILY, OPEN, (*SETTINGS, JUDGE), make_grading)
REFUSED = refuse_tasks(FAMILY, LOGLIKELIHOOD, NO_LIKELIHOODS)
