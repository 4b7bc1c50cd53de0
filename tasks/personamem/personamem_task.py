"""What the YAML files of this folder name; lm-eval loads this file by its path."""

from personamem.tasks.personamem.multiple_choice import (
    PersonaMemTask,
    doc_to_text,
    process_generated,
    process_likelihoods,
)

__all__ = ["PersonaMemTask", "doc_to_text", "process_generated", "process_likelihoods"]
