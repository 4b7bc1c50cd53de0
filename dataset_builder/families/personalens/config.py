"""The configuration of PersonaLens: how many users and quads."""

from typing import Annotated

from pydantic import Field

from personamem.dataset_builder.core.config import BuildConfig, FamilySettings
from personamem.loaders.formats.errors import InvalidInputError

DEFAULT_USERS = 1_500
"""As many as the official release has."""


class PersonaLensSettings(FamilySettings):
    """The section ``personalens``."""

    users: Annotated[
        int,
        Field(ge=20, le=100_000, description="Users with preferences, histories and tasks."),
    ] = DEFAULT_USERS
    quad_rounds: Annotated[
        int,
        Field(
            ge=1,
            le=50,
            description="Questions of four users with one right reply each, for each task: one "
            "quad a round at depth 1, and one at depth 2.",
        ),
    ] = 1


class PersonaLensConfig(PersonaLensSettings):
    """The section together with the seed: what decides every byte of the family's files."""

    seed: int


def configure(config: BuildConfig) -> PersonaLensConfig:
    """Return the part of ``config`` for this family. Raises InvalidInputError if it has none."""
    settings = config.find_settings(PersonaLensSettings)
    if settings is None:
        raise InvalidInputError("families: the configuration has no section personalens.")
    return PersonaLensConfig(seed=config.seed, **settings.model_dump())
