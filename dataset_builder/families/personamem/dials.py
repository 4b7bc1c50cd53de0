"""Dials: what can be set of a question's evidence, and how far."""

from enum import StrEnum

MOST_DISTRACTORS = 8
"""Of a story: beyond, a choice of four would need more texts than it has."""

MOST_UPDATES = 8
"""Of a story: beyond, a choice of four would end in the same way twice."""


class Level(StrEnum):
    """How a context tells what is true of a candidate; the same for all four of a story."""

    STATED = "stated"
    NAMED = "named"
    IMPLIED = "implied"
    COMBINED = "combined"
