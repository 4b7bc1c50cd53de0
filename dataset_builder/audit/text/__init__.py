"""The text of a dataset: how diverse it is, what repeats, and what should not be in it."""

from personamem.dataset_builder.audit.text.figures import ContextText, Figure, TextFigures
from personamem.dataset_builder.audit.text.measure import measure_context, summarise_text

__all__ = [
    "ContextText",
    "Figure",
    "TextFigures",
    "measure_context",
    "summarise_text",
]
