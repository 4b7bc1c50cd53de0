"""What a manifest records about PersonaMem."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from personamem.loaders.formats.manifest import SplitName

Count = Annotated[int, Field(ge=0, strict=True)]
TENTHS = 10


class SplitRecord(BaseModel):
    """The counts of one split; tokens are o200k_base tokens of the contents of messages.

    ``levels`` counts questions by type, then by level of evidence. ``distances`` counts them by the
    share of what they see that comes after the evidence, in tenths. ``context_parts`` divides the
    tokens by kind of text, see ``summary.PARTS``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    budget_tokens: Count
    contexts: Count
    questions: Count
    quads: Count
    personas: Count
    tokens: Count
    min_context_tokens: Count
    max_context_tokens: Count
    question_types: Mapping[str, Count]
    topics: Mapping[str, Count]
    letters: Mapping[str, Count]
    levels: Mapping[str, Mapping[str, Count]]
    distances: Annotated[tuple[Count, ...], Field(min_length=TENTHS, max_length=TENTHS)]
    context_parts: Mapping[str, Count]


class ReadingsRecord(BaseModel):
    """Who read the texts that the dataset is made from, without the key, and how they agreed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    needs: Count
    artefacts: Count
    rejected: Count
    readings: Count
    agreement: Annotated[float, Field(ge=0, le=1)]
    readers: tuple[str, ...]


class FillerRecord(BaseModel):
    """The real chats that fill the contexts: where they come from, and what was left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    revision: str
    license: str
    chats: Count
    left_out: Mapping[str, Count]
    sha256: str


class PersonaMemRecord(BaseModel):
    """The section of the family."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    splits: Mapping[SplitName, SplitRecord] = Field(min_length=1)
    readings: ReadingsRecord | None = None
    filler: FillerRecord | None = None
    checks: Mapping[str, Any] = {}
