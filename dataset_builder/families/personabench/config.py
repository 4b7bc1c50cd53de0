"""The configuration of PersonaBench: how many communities."""

from typing import Annotated

from pydantic import Field

from personamem.dataset_builder.core.config import BuildConfig, FamilySettings
from personamem.loaders.formats.errors import InvalidInputError

DEFAULT_COMMUNITIES = 5
"""As many as the paper has; each has three test users."""


class PersonaBenchSettings(FamilySettings):
    """The section ``personabench``."""

    communities: Annotated[
        int,
        Field(
            ge=1,
            le=999,
            description="Communities of ten people with open questions over private documents.",
        ),
    ] = DEFAULT_COMMUNITIES


class PersonaBenchConfig(PersonaBenchSettings):
    """The section together with the seed: what decides every byte of the family's files."""

    seed: int


def configure(config: BuildConfig) -> PersonaBenchConfig:
    """Return the part of ``config`` for this family. Raises InvalidInputError if it has none."""
    settings = config.find_settings(PersonaBenchSettings)
    if settings is None:
        raise InvalidInputError("families: the configuration has no section personabench.")
    return PersonaBenchConfig(seed=config.seed, **settings.model_dump())
