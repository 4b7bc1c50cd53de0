"""What importing registers with inspect-ai: a provider, and the tasks of each family or release."""

import personamem.tasks.inspection.chat_server
import personamem.tasks.personabench.inspect_tasks
import personamem.tasks.personalens.dialogues.tasks
import personamem.tasks.personamem.inspect_tasks
import personamem.tasks.personamem_v2.inspect_tasks  # noqa: F401
