"""What a manifest records about PersonaBench."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from personamem.loaders.formats.manifest import SplitName

Count = Annotated[int, Field(ge=0, strict=True)]


class NoiseRecord(BaseModel):
    """The counts of one level of noise: its share of documents without use, and its documents."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    noise: float = Field(ge=0, lt=1)
    sessions: Count
    kinds: Mapping[str, Count]


class PersonaBenchRecord(BaseModel):
    """The section of the family; questions are the same at every level of noise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    splits: Mapping[SplitName, NoiseRecord] = Field(min_length=1)
    checks: Mapping[str, Any] = {}
    communities: Count
    people: Count
    relations: Count
    test_users: Count
    questions: Count
    question_types: Mapping[str, Count]
    categories: Mapping[str, Count]
    attributes: Count
    outdated: Count
