"""Reading datasets, ours and the official releases, and scoring answers to them.

Names are imported when they are first used, since some need seconds. ``evaluate.Metric`` classes
are in ``personamem.loaders.personamem.evaluate_metrics``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personamem.loaders.formats.schema import Annotation
    from personamem.loaders.personamem.dataset import (
        OFFICIAL_SOURCE,
        PersonaMem,
        load_personamem,
    )
    from personamem.loaders.personamem.letters import read_letter
    from personamem.loaders.personamem.oracle import oracle_messages_for
    from personamem.loaders.personamem.rewards import score
    from personamem.loaders.personamem.version2_dataset import PersonaMemV2, load_version2
    from personamem.loaders.prompting.prompts import make_final_turn, render_plain
    from personamem.loaders.prompting.templates import (
        STRICT_RULES,
        TemplateRules,
        normalise_messages,
        rules_of,
    )

_MODULES = {
    "OFFICIAL_SOURCE": "personamem.dataset",
    "STRICT_RULES": "prompting.templates",
    "Annotation": "formats.schema",
    "PersonaMem": "personamem.dataset",
    "PersonaMemV2": "personamem.version2_dataset",
    "TemplateRules": "prompting.templates",
    "load_personamem": "personamem.dataset",
    "load_version2": "personamem.version2_dataset",
    "make_final_turn": "prompting.prompts",
    "normalise_messages": "prompting.templates",
    "oracle_messages_for": "personamem.oracle",
    "read_letter": "personamem.letters",
    "render_plain": "prompting.prompts",
    "rules_of": "prompting.templates",
    "score": "personamem.rewards",
}

__all__ = [
    "OFFICIAL_SOURCE",
    "STRICT_RULES",
    "Annotation",
    "PersonaMem",
    "PersonaMemV2",
    "TemplateRules",
    "load_personamem",
    "load_version2",
    "make_final_turn",
    "normalise_messages",
    "oracle_messages_for",
    "read_letter",
    "render_plain",
    "rules_of",
    "score",
]


if not TYPE_CHECKING:  # To a type checker, this function would have any name.

    def __getattr__(name: str) -> Any:
        """Import ``name`` from its module. Raises AttributeError for an unknown name."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
