"""Fixtures of the loader tests: one tiny dataset, written in each layout."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SPECIMEN = Path(__file__).parents[3] / "shared/reference/personamem/shared_contexts_32k.jsonl"


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "tiny_dataset", Path(__file__).with_name("tiny_dataset.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
