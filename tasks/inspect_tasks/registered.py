"""What the entry point of inspect-ai loads: the tasks of each family, one line a family."""

from personamem.tasks.personalens.dialogues import tasks as personalens_dialogues  # noqa: F401
