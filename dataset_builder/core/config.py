"""The build configuration: everything that decides the bytes of a dataset.

What all families share stands here; each family has a section of its own (``FamilySettings``),
which ``families.configuration`` reads.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, model_validator


class ModelSettings(BaseModel):
    """The settings that decide a model's answers. None leaves a parameter to the server.

    Where ``max_tokens`` is not given, it follows from the length of the text to write; a reasoning
    model needs more.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    temperature: float | None = Field(default=0.8, ge=0, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)


class FamilySettings(BaseModel):
    """The section of one family in a build configuration; each field is an option of ``build``.

    ``json_schema_extra={"option": "--name"}`` of a field names its option; the default is the name
    of the field with dashes.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


Settings = TypeVar("Settings", bound=FamilySettings)


class BuildConfig(BaseModel):
    """What to build: ``families`` maps the name of each family to build to its settings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(default="personamem", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")
    version: str = Field(default="1.0.0", pattern=r"^\d+\.\d+\.\d+$")
    seed: int = Field(default=0, ge=0, strict=True)
    writer: Literal["template", "openai"] = "template"
    model: ModelSettings | None = None
    families: Mapping[str, SerializeAsAny[FamilySettings]]

    @model_validator(mode="after")
    def _model_of_writer(self) -> "BuildConfig":
        if not self.families:
            raise ValueError("families: at least one family is needed")
        if self.writer == "openai" and self.model is None:
            raise ValueError("the writer openai needs the settings of a model, at least its name")
        if self.writer == "template" and self.model is not None:
            raise ValueError("the writer template takes no model; choose the writer openai for it")
        return self

    def find_settings(self, kind: type[Settings]) -> Settings | None:
        """Return the section of the family whose settings are ``kind``; None if it is not built."""
        return next((found for found in self.families.values() if isinstance(found, kind)), None)

    def as_json(self) -> dict[str, Any]:
        """Return the configuration as plain values, as the manifest stores it."""
        return self.model_dump(mode="json")

    def fingerprint(self) -> str:
        """Return the sha256 of the canonical JSON of this configuration, in hex."""
        return hashlib.sha256(json.dumps(self.as_json(), sort_keys=True).encode()).hexdigest()
