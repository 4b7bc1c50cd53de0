"""What the YAML files of this folder name; lm-eval loads this file by its path."""

from personamem.tasks.personabench.open_questions import (
    PersonaBenchTask,
    doc_to_text,
    score_reply,
)

__all__ = ["PersonaBenchTask", "doc_to_text", "score_reply"]
