"""Subjects: what a model may write everyday chats about, in whose manner, and how they go."""

from functools import cache
from typing import Annotated

from pydantic import Field

from personamem.dataset_builder.core.content_yaml import Strict, read_content
from personamem.dataset_builder.families.personamem.writers.prompts import PROMPTS

Words = tuple[Annotated[int, Field(ge=3)], Annotated[int, Field(ge=3)]]
"""The fewest and the most words of a message."""


class Voice(Strict):
    """A manner of writing, as a model is told it, and the lengths of messages in it.

    ``lower_case`` says that it is that of users who type no capitals.
    """

    name: str
    manner: str
    words: Words
    lower_case: bool = False


class Subjects(Strict):
    """The content of subjects.yaml: ``areas`` are lists of subjects by their names."""

    voices: tuple[Voice, ...]
    courses: tuple[str, ...]
    areas: dict[str, tuple[str, ...]]

    def list_subjects(self) -> list[tuple[str, str]]:
        """Return every subject with its area."""
        return [(area, subject) for area, subjects in self.areas.items() for subject in subjects]


@cache
def load_subjects() -> Subjects:
    """Return the content. Raises InvalidInputError naming the entry."""
    return read_content(PROMPTS.folder / "subjects.yaml", "subjects", Subjects)
