"""The communities of a default build: made once, looked at by many tests."""

import copy
from collections.abc import Callable

import pytest

from personamem.dataset_builder.families.personabench.documents import build_archives
from personamem.dataset_builder.families.personabench.records import Archive
from personamem.dataset_builder.families.personabench.rows import OpenTables, make_tables

COMMUNITIES = 5

CopyTables = Callable[[], OpenTables]


@pytest.fixture(scope="session")
def archives() -> list[Archive]:
    """The archives of two communities."""
    return [archive for number in range(2) for archive in build_archives(0, number)]


@pytest.fixture(scope="session")
def tables() -> OpenTables:
    """The rows of a default build. Read-only."""
    return make_tables(0, COMMUNITIES)


@pytest.fixture(scope="session")
def one_community() -> OpenTables:
    """The rows of one community. Read-only."""
    return make_tables(0, 1)


@pytest.fixture
def copy_tables(one_community: OpenTables) -> CopyTables:
    """A function that returns rows of one community to plant faults in."""
    return lambda: copy.deepcopy(one_community)
