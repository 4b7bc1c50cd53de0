"""Contexts that several tests look at; built once, from the real packs."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.contexts import Context, build_context
from personamem.dataset_builder.families.personamem.planning import GroupPlan, plan_split
from personamem.dataset_builder.families.personamem.world.cohort import Cohort, build_cohort


class BuiltGroup(NamedTuple):
    config: PersonaMemConfig
    plan: GroupPlan
    cohort: Cohort
    contexts: tuple[Context, ...]


BuildGroup = Callable[..., BuiltGroup]


def _build_group(size: str, group: int = 0, seed: int = 0) -> BuiltGroup:
    config = PersonaMemConfig(seed=seed, sizes=(size,))
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
    """A function (size, group=0, seed=0) that builds one group of four contexts."""
    return _build_group
