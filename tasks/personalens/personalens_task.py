"""What the YAML files of this folder name; lm-eval loads this file by its path."""

from personamem.tasks.personalens.reply_choice import (
    ReplyChoiceTask,
    doc_to_text,
    process_generated,
    process_likelihoods,
)

__all__ = ["ReplyChoiceTask", "doc_to_text", "process_generated", "process_likelihoods"]
