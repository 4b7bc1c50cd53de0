"""What a family contributes to the card of a dataset: tables, counts, and text for its sections."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from personamem.loaders.formats.records import name_type


@dataclass(frozen=True, slots=True)
class Field:
    """One column: its Parquet type and what it holds, with the unit where there is one."""

    name: str
    type: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """One config of a dataset: its folder of Parquet files, one a split, and what a row is.

    ``fixed`` rows are content, which no seed changes.
    """

    name: str
    title: str
    introduction: str
    fields: tuple[Field, ...]
    fixed: bool = False


def describe_columns(schema: pa.Schema, **meanings: str) -> tuple[Field, ...]:
    """Return the fields of a table; ``meanings`` are those of its columns, in their order.

    Raises ValueError where these are not the columns of the table.
    """
    if list(meanings) != schema.names:
        raise ValueError(f"{', '.join(meanings)}: not the columns {', '.join(schema.names)}")
    return tuple(
        Field(column.name, name_type(column.type), meanings[column.name]) for column in schema
    )


SLOTS = ("summary", "splits", "load", "evaluate", "files", "made", "limits", "citation")
"""The places of the card that a family may fill with Markdown, in order of appearance."""


PICTURES = "pictures"
"""The folder of a dataset with the pictures of its card."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of the card: its path in the dataset, what it shows in words, and the SVG file.

    ``caption`` is read aloud in its place, and printed below.
    """

    path: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class FamilyCard:
    """What one family contributes to the card; ``slots`` holds Markdown by name, each optional.

    ``tables`` are the configs in which `datasets` loads its files; the first table of the first
    family is the default. ``splits`` orders their splits. ``check_meanings`` say what the checks of
    the build measure, by name. ``pictures`` are drawn from the manifest and nothing else.
    """

    name: str
    tables: tuple[Table, ...]
    splits: tuple[str, ...]
    num_questions: int
    task_categories: tuple[str, ...]
    slots: Mapping[str, str]
    check_meanings: Mapping[str, str] = field(default_factory=dict)
    pictures: tuple[Picture, ...] = ()
