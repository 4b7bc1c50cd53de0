"""Fixtures of the second release's tasks: the specimen, and the same with its secrets told."""

from pathlib import Path

import pytest
from version2_specimen import write_specimen


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_specimen(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_specimen(tmp_path_factory.mktemp("told"), with_secrets=True)
