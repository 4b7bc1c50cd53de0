"""Users that several tests look at, and a tiny dataset built from the real content. Read-only."""

from pathlib import Path

import pytest
from tiny_families import make_once, make_tiny_config

from personamem.dataset_builder.families.personalens.users import User, draw_users
from personamem.dataset_builder.packaging.build import build_dataset


@pytest.fixture(scope="session")
def users() -> list[User]:
    return list(draw_users(5, 240, 0, 240))


@pytest.fixture(scope="session")
def tiny_dataset(shared_folder: Path) -> Path:
    config = make_tiny_config("personalens")
    # The contract of families looks at the same dataset.
    return make_once(
        shared_folder / "families" / "personalens",
        lambda folder: build_dataset(config, folder, workers=1),
    )
