"""The specimen of the official release, and a tiny release of the same layout."""

from pathlib import Path

import pytest
from tiny_lens import write_release

SPECIMEN = Path(__file__).parents[4] / "shared/reference/personalens"


@pytest.fixture
def specimen() -> Path:
    if not SPECIMEN.exists():
        pytest.skip(f"the official specimen is not at {SPECIMEN}")
    return SPECIMEN


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")
