"""Contexts and datasets that several tests look at; built once, from the real packs."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.contexts import Context, build_context
from personamem.dataset_builder.families.personamem.planning import GroupPlan, plan_split
from personamem.dataset_builder.families.personamem.world.cohort import Cohort, build_cohort
from personamem.dataset_builder.packaging.build import build_dataset


class BuiltGroup(NamedTuple):
    config: PersonaMemConfig
    plan: GroupPlan
    cohort: Cohort
    contexts: tuple[Context, ...]


BuildGroup = Callable[..., BuiltGroup]


def _build_group(size: str, group: int = 0, **settings: object) -> BuiltGroup:
    section = {"sizes": (size,), **settings}
    seed = section.pop("seed", 0)
    config = configure(make_config(seed=seed, families={"personamem": section}))
    plan = plan_split(config, size)[group]
    cohort = build_cohort(config.seed, plan.cohort)
    contexts = tuple(build_context(config, plan, cohort, k) for k in range(4))
    return BuiltGroup(config, plan, cohort, contexts)


@pytest.fixture(scope="session", params=["4k", "32k", "128k"])
def built_group(request: pytest.FixtureRequest) -> BuiltGroup:
    """One group of four contexts at each of three sizes."""
    return _build_group(request.param)


@pytest.fixture(scope="session")
def build_group() -> BuildGroup:
    """A function (size, group=0, **settings) that builds one group of four contexts."""
    return _build_group


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with the splits 4k and 32k of two cohorts, built in this process."""
    folder = tmp_path_factory.mktemp("built") / "dataset"
    config = make_config(families={"personamem": {"sizes": ("4k", "32k"), "personas": 8}})
    build_dataset(config, folder, workers=1)
    return folder
