"""Reading PersonaMem datasets, ours and the official releases, and scoring answers to them.

``evaluate.Metric`` classes are in ``personamem.loaders.evaluate_metrics``, apart because importing
``evaluate`` takes seconds.
"""

from personamem.dataset_builder.schema import Annotation
from personamem.loaders.dataset import OFFICIAL_SOURCE, PersonaMem, load_personamem
from personamem.loaders.letters import read_letter
from personamem.loaders.oracle import oracle_messages_for
from personamem.loaders.prompts import make_final_turn, render_plain
from personamem.loaders.templates import (
    STRICT_RULES,
    TemplateRules,
    normalise_messages,
    rules_of,
)

__all__ = [
    "OFFICIAL_SOURCE",
    "STRICT_RULES",
    "Annotation",
    "PersonaMem",
    "TemplateRules",
    "load_personamem",
    "make_final_turn",
    "normalise_messages",
    "oracle_messages_for",
    "read_letter",
    "render_plain",
    "rules_of",
]
