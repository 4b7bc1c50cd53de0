"""A small release written for the tests, and the official community where it is at hand."""

from pathlib import Path

import pytest
from tiny_release import COMMUNITY, write_release

OFFICIAL = Path(__file__).parents[4] / "shared/reference/personabench"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path)


@pytest.fixture
def community(release: Path) -> Path:
    return release / COMMUNITY


@pytest.fixture
def official() -> Path:
    if not OFFICIAL.exists():
        pytest.skip(f"the official community is not at {OFFICIAL}")
    return OFFICIAL
