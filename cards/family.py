"""What a family contributes to the card of a dataset: tables, counts, and text for its sections."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Field:
    """One column: its Parquet type and what it holds, with the unit where there is one."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """One config of a dataset: its folder of Parquet files, one a split, and what a row is."""

    name: str
    title: str
    introduction: str
    fields: tuple[Field, ...]


SLOTS = ("summary", "splits", "load", "evaluate", "files", "made", "limits", "citation")
"""The places of the card that a family may fill with Markdown, in order of appearance."""


@dataclass(frozen=True, slots=True)
class FamilyCard:
    """What one family contributes to the card; ``slots`` holds Markdown by name, each optional.

    ``tables`` are the configs in which `datasets` loads its files; the first table of the first
    family is the default. ``splits`` orders their splits. ``check_meanings`` say what the checks of
    the build measure, by name.
    """

    name: str
    tables: tuple[Table, ...]
    splits: tuple[str, ...]
    num_questions: int
    task_categories: tuple[str, ...]
    slots: Mapping[str, str]
    check_meanings: Mapping[str, str] = field(default_factory=dict)
