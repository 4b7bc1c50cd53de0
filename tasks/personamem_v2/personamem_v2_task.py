"""What the YAML files of this folder name; lm-eval loads this file by its path."""

from personamem.tasks.personamem_v2.scoring import (
    doc_to_text,
    process_choice,
    process_likelihoods,
    process_open,
)
from personamem.tasks.personamem_v2.version2 import PersonaMemV2Task

__all__ = [
    "PersonaMemV2Task",
    "doc_to_text",
    "process_choice",
    "process_likelihoods",
    "process_open",
]
