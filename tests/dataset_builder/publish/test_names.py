"""Versions are semantic, as the examples of https://semver.org have it."""

import pytest

from personamem.dataset_builder.publish.names import SEMANTIC_VERSION, check_tag
from personamem.loaders.formats.errors import InvalidInputError


@pytest.mark.parametrize(
    "version",
    ["0.0.4", "10.20.30", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-0A.is.legal", "1.1.2+b-1"],
)
def test_semantic_versions(version: str) -> None:
    check_tag(f"v{version}", version)


@pytest.mark.parametrize(
    "version",
    ["1", "1.2", "1.2.3-0123", "1.2.3.DEV", "01.1.1", "1.1.01", "1.0.0-", "1.0.0+", "v1.0.0", ""],
)
def test_versions_that_are_not(version: str) -> None:
    assert not SEMANTIC_VERSION.fullmatch(version)
    with pytest.raises(InvalidInputError, match="is not semantic"):
        check_tag(f"v{version}", version)
