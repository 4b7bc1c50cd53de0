"""The configuration of PersonaMem: sizes, contexts, questions, topics."""

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from personamem.dataset_builder.core.config import BuildConfig, FamilySettings
from personamem.dataset_builder.families.personamem.dials import (
    MOST_DISTRACTORS,
    MOST_UPDATES,
    Level,
)
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.formats.schema import COHORT_SIZE, SIZES, TOPICS

DEFAULT_SCALE = {
    "4k": (40, 320),
    "8k": (40, 480),
    "32k": (100, 592),
    "64k": (40, 1_000),
    "128k": (60, 2_728),
    "1M": (52, 2_676),
}
"""Contexts and questions of a split; 32k, 128k and 1M have the scale of the official release.

With more questions a context, a short one would tell of little but what is asked.
"""

DEFAULT_DISTRACTORS = {"4k": 0, "8k": 0, "32k": 0, "64k": 4, "128k": 8, "1M": 8}
"""More mentions of a story's candidates as other people's: words alone then lead to all of them."""


class PersonaMemSettings(FamilySettings):
    """The section ``personamem``. ``personas`` and ``questions`` are those of each split."""

    sizes: Annotated[
        tuple[str, ...],
        Field(
            description=f"Context size, repeatable: {', '.join(SIZES)}.",
            json_schema_extra={"option": "--size"},
        ),
    ] = ("32k", "128k", "1M")
    personas: Annotated[
        int | None,
        Field(
            ge=COHORT_SIZE,
            description="Personas per split, a multiple of 4; each has one context. "
            "[default: 40; for 32k 100, for 128k 60, for 1M 52]",
        ),
    ] = None
    questions: Annotated[
        int | None,
        Field(
            ge=COHORT_SIZE,
            description="Questions per split, a multiple of 4. "
            "[default: by the number of personas; for 32k 592, for 128k 2728, for 1M 2676]",
        ),
    ] = None
    topics: Annotated[
        tuple[str, ...],
        Field(
            description=f"Topic, repeatable: {', '.join(TOPICS)}. [default: all]",
            json_schema_extra={"option": "--topic"},
        ),
    ] = TOPICS
    levels: Annotated[
        tuple[Level, ...],
        Field(
            description="How evidence is told, repeatable: stated, named, implied, combined. "
            "[default: all, mixed evenly]",
            json_schema_extra={"option": "--level"},
        ),
    ] = tuple(Level)
    part: Annotated[
        Literal["", "a", "b"],
        Field(
            description="Use one half of the needs, a or b, to train on one and test on the other."
        ),
    ] = ""
    distractors: Annotated[
        int | None,
        Field(
            ge=0,
            le=MOST_DISTRACTORS,
            description="More mentions of a question's candidates as somebody else's, "
            f"0 to {MOST_DISTRACTORS}. [default: 0; for 64k 4, for 128k and 1M 8]",
        ),
    ] = None
    distance: Annotated[
        Literal["any", "near", "far"],
        Field(description="When a question is asked: any time, soon after its evidence, or late."),
    ] = "any"
    updates: Annotated[
        int | None,
        Field(
            ge=1,
            le=MOST_UPDATES,
            description=f"How often a preference changes, 1 to {MOST_UPDATES}. [default: 1 or 2]",
        ),
    ] = None

    filler: Annotated[
        str,
        Field(
            description="Fill contexts with real chats of this folder or Hub dataset, instead of "
            "everyday chats, pasted material and computed tasks."
        ),
    ] = ""
    filler_column: Annotated[
        str,
        Field(
            description="Its column with the list of messages. [default: one of the usual names]"
        ),
    ] = ""

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
            if topic not in TOPICS:
                raise unknown_choice("topic", topic, TOPICS)
        if not topics:
            raise ValueError(f"at least one topic is needed: {', '.join(TOPICS)}")
        return tuple(topic for topic in TOPICS if topic in topics)

    @model_validator(mode="after")
    def _multiples_of_four(self) -> "PersonaMemSettings":
        for name, value in (("personas", self.personas), ("questions", self.questions)):
            if value is not None and value % COHORT_SIZE:
                raise ValueError(
                    f"{name} must be a multiple of {COHORT_SIZE}, since every question is asked of "
                    f"the {COHORT_SIZE} personas of a cohort; got {value}"
                )
        return self


class PersonaMemConfig(PersonaMemSettings):
    """The section together with the seed: what decides every byte of the family's files."""

    seed: int

    def contexts_of(self, size: str) -> int:
        """Return how many contexts the split ``size`` has, one a persona."""
        return self.personas or DEFAULT_SCALE[size][0]

    def distractors_of(self, size: str) -> int:
        """Return how many more mentions of others a story has in contexts of a size."""
        return DEFAULT_DISTRACTORS[size] if self.distractors is None else self.distractors

    def questions_of(self, size: str) -> int:
        """Return how many questions the split ``size`` has, a multiple of four."""
        if self.questions is not None:
            return self.questions
        contexts, questions = DEFAULT_SCALE[size]
        share = self.contexts_of(size) / contexts
        return max(COHORT_SIZE, round(questions * share / COHORT_SIZE) * COHORT_SIZE)

    def count_quads(self, size: str) -> tuple[int, int]:
        """Return how many groups of four contexts a split has, and how many quads it asks.

        Raises InvalidInputError when there are fewer questions than personas.
        """
        groups = self.contexts_of(size) // COHORT_SIZE
        quads = self.questions_of(size) // COHORT_SIZE
        if quads < groups:
            raise InvalidInputError(
                f"questions: {quads * COHORT_SIZE} of size {size} are fewer than its "
                f"{groups * COHORT_SIZE} personas, each of whom is asked at least one. Accepted: "
                f"{groups * COHORT_SIZE} or more questions, or fewer personas."
            )
        return groups, quads


def configure(config: BuildConfig) -> PersonaMemConfig:
    """Return the part of ``config`` for this family. Raises InvalidInputError if it has none."""
    settings = config.find_settings(PersonaMemSettings)
    if settings is None:
        raise InvalidInputError("families: the configuration has no section personamem.")
    if settings.filler and config.model is not None:
        raise InvalidInputError(
            "filler: with the writer openai, a model writes the chats that fill contexts. "
            "Accepted: a filler or this writer."
        )
    return PersonaMemConfig(seed=config.seed, **settings.model_dump())
