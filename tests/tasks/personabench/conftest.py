"""A dataset of ours with open questions, and a release, both tiny."""

from pathlib import Path

import pytest
from tiny_communities import write_communities
from tiny_release import write_release


@pytest.fixture(scope="session")
def communities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_communities(tmp_path_factory.mktemp("communities"))


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("release"))
