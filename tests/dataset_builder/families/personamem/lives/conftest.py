"""A small plan of lives, drawn once."""

from collections.abc import Callable
from typing import Any

import pytest

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.lives.plan import GroupPlan, plan_split

Configure = Callable[..., PersonaMemConfig]


@pytest.fixture(scope="session")
def configure_lives() -> Configure:
    """A function that returns a configuration of lives."""

    def make(size: str = "32k", seed: int = 11, **settings: Any) -> PersonaMemConfig:
        section = {"sizes": (size,), "personas": 8, **settings}
        if size == "32k" and section["personas"]:
            # More a context than by default, so that few have all types.
            section = {"questions": round(section["personas"] * 3.7) * 4} | section
        return configure(make_config(seed=seed, families={"personamem": section}))

    return make


@pytest.fixture(scope="session")
def config(configure_lives: Configure) -> PersonaMemConfig:
    return configure_lives()


@pytest.fixture(scope="session")
def plans(config: PersonaMemConfig) -> tuple[GroupPlan, ...]:
    return plan_split(config, "32k")
