"""The build configuration: everything that decides the bytes of a dataset."""

import hashlib
import json
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from personamem.dataset_builder.errors import InvalidInputError, unknown_choice
from personamem.dataset_builder.packs import topic_names
from personamem.dataset_builder.schema import COHORT_SIZE, SIZES

DEFAULT_PERSONAS = 60
DEFAULT_SCALE = {
    "4k": (40, 320),
    "8k": (40, 480),
    "32k": (40, 592),
    "64k": (40, 1_000),
    "128k": (60, 2_728),
    "1M": (52, 2_676),
}
"""Contexts and questions of a split; 32k, 128k and 1M have the scale of the official release."""

DEFAULT_COMMUNITIES = 5
"""Communities of the open questions: as many as the paper has; each has three test users."""

DEFAULT_TOPICS = {"4k": 2, "8k": 3, "32k": 5, "64k": 8, "128k": 15, "1M": 15}
"""How many topics one context is about."""


class ModelSettings(BaseModel):
    """What decides a model's answers. None leaves a parameter to the server.

    ``max_tokens`` of an answer follow from the length of the session where they are not given; a
    model that thinks before it answers needs more.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(min_length=1)
    temperature: float | None = Field(default=0.8, ge=0, le=2)
    seed: int | None = None
    max_tokens: int | None = Field(default=None, ge=1)


class BuildConfig(BaseModel):
    """What to build. ``questions`` and ``contexts`` are per split; None means the default scale."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sizes: tuple[str, ...] = ("32k", "128k", "1M")
    seed: int = Field(default=0, ge=0)
    personas: int = Field(default=DEFAULT_PERSONAS, ge=COHORT_SIZE)
    questions: int | None = Field(default=None, ge=COHORT_SIZE)
    topics: tuple[str, ...] = Field(default_factory=topic_names)
    communities: int = Field(default=DEFAULT_COMMUNITIES, ge=0, le=999)
    writer: Literal["template", "openai"] = "template"
    model: ModelSettings | None = None
    name: str = Field(default="personamem", pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}$")
    version: str = Field(default="1.0.0", pattern=r"^\d+\.\d+\.\d+$")

    @field_validator("sizes")
    @classmethod
    def _known_sizes(cls, sizes: tuple[str, ...]) -> tuple[str, ...]:
        for size in sizes:
            if size not in SIZES:
                raise unknown_choice("size", size, SIZES)
        if not sizes:
            raise ValueError(f"at least one size is needed: {', '.join(SIZES)}")
        return tuple(size for size in SIZES if size in sizes)

    @field_validator("topics")
    @classmethod
    def _known_topics(cls, topics: tuple[str, ...]) -> tuple[str, ...]:
        for topic in topics:
            if topic not in topic_names():
                raise unknown_choice("topic", topic, topic_names())
        if not topics:
            raise ValueError(f"at least one topic is needed: {', '.join(topic_names())}")
        return tuple(topic for topic in topic_names() if topic in topics)

    @model_validator(mode="after")
    def _multiples_of_four(self) -> "BuildConfig":
        for name, value in (("personas", self.personas), ("questions", self.questions)):
            if value is not None and value % COHORT_SIZE:
                raise ValueError(
                    f"{name} must be a multiple of {COHORT_SIZE}, since every question is asked of "
                    f"the {COHORT_SIZE} personas of a cohort; got {value}"
                )
        return self

    @model_validator(mode="after")
    def _model_of_writer(self) -> "BuildConfig":
        if self.writer == "openai" and self.model is None:
            raise ValueError("the writer openai needs the settings of a model, at least its name")
        if self.writer == "template" and self.model is not None:
            raise ValueError("the writer template takes no model; choose the writer openai for it")
        return self

    def contexts_of(self, size: str) -> int:
        """Return how many contexts the split ``size`` has; each persona has one at most."""
        return min(DEFAULT_SCALE[size][0], self.personas)

    def questions_of(self, size: str) -> int:
        """Return how many questions the split ``size`` has, a multiple of four."""
        if self.questions is not None:
            return self.questions
        contexts, questions = DEFAULT_SCALE[size]
        share = self.contexts_of(size) / contexts
        return max(COHORT_SIZE, round(questions * share / COHORT_SIZE) * COHORT_SIZE)

    def fingerprint(self) -> str:
        """Return the sha256 of the canonical JSON of this configuration, in hex."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def make_config(**values: object) -> BuildConfig:
    """Return a BuildConfig; raises InvalidInputError that names the field and what is accepted."""
    try:
        return BuildConfig.model_validate(values)
    except ValidationError as error:
        raise InvalidInputError(_describe(error)) from error


def load_config(path: Path, **overrides: object) -> BuildConfig:
    """Read a YAML config; ``overrides`` that are not None win over the file."""
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except FileNotFoundError:
        raise InvalidInputError(f"Config file {path} does not exist.") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise InvalidInputError(f"Config file {path} cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise InvalidInputError(f"Config file {path} must hold a mapping of {_accepted()}.")
    merged = data | {key: value for key, value in overrides.items() if value is not None}
    if isinstance(data.get("model"), dict) and isinstance(overrides.get("model"), dict):
        merged["model"] = data["model"] | overrides["model"]
    try:
        return BuildConfig.model_validate(merged)
    except ValidationError as error:
        raise InvalidInputError(f"Config file {path}: {_describe(error)}") from error


def _describe(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"])) or "config"
    message = first["msg"].removeprefix("Value error, ")
    accepted = f" Accepted keys: {_accepted()}." if first["type"] == "extra_forbidden" else ""
    return f"{where}: {message} (got {first['input']!r}).{accepted}"


def _accepted() -> str:
    return ", ".join(BuildConfig.model_fields)
