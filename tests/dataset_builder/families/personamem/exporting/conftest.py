"""Exports of the dataset that several tests look at, each made once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from calling import call

Export = Callable[..., Path]


@pytest.fixture(scope="session")
def export(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Return a function that exports the 4k split with some options."""
    made: dict[tuple[object, ...], Path] = {}

    def make(*options: object) -> Path:
        if options not in made:
            out = tmp_path_factory.mktemp("export") / "out"
            done = call("export", dataset, "--split", "4k", "--out", out, *options)
            assert done.returncode == 0, done.stderr
            made[options] = out
        return made[options]

    return make
