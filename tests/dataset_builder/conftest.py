"""Datasets that several tests look at; built once, from the real content."""

from pathlib import Path

import pytest
from tiny_families import make_once, read_tiny_section

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.registry import FAMILIES


@pytest.fixture(scope="session")
def dataset(shared_folder: Path) -> Path:
    """A dataset of every family, with the splits 4k and 32k of two cohorts. Read-only."""
    sections = {name: read_tiny_section(name) for name in FAMILIES}
    config = make_config(
        families={**sections, "personamem": {"sizes": ("4k", "32k"), "personas": 8}}
    )
    return make_once(
        shared_folder / "dataset", lambda folder: build_dataset(config, folder, workers=1)
    )
