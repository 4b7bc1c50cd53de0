"""A small dataset for memories."""

import pytest

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders import PersonaMem, load_personamem


@pytest.fixture(scope="package")
def data(tmp_path_factory: pytest.TempPathFactory) -> PersonaMem:
    """Eight contexts of 4k tokens."""
    folder = tmp_path_factory.mktemp("memory") / "data"
    config = make_config(seed=3, families={"personamem": {"sizes": ("4k",), "personas": 8}})
    build_dataset(config, folder, workers=1)
    return load_personamem(folder, "4k")
