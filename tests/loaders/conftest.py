"""Fixtures of the loader tests: one tiny dataset, written in each layout."""

from pathlib import Path
from types import ModuleType

import pytest
import tiny_dataset

SPECIMEN = Path(__file__).parents[3] / "shared/reference/personamem/shared_contexts_32k.jsonl"


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    return tiny_dataset


@pytest.fixture
def ours(tiny: ModuleType, tmp_path: Path) -> Path:
    return tiny.write_ours(tmp_path / "ours")


@pytest.fixture
def official(tiny: ModuleType, tmp_path: Path) -> Path:
    return tiny.write_official(tmp_path / "official")


@pytest.fixture
def specimen() -> Path:
    if not SPECIMEN.exists():
        pytest.skip(f"the official specimen is not at {SPECIMEN}")
    return SPECIMEN
