"""Whatever is wrong with the files of a release, the loader names a file, or it loads."""

import shutil
from pathlib import Path
from random import Random

import pytest
from dataset_fuzz import damage_bytes, damage_json, replace_file
from tiny_lens import write_release

from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.personalens import load_personalens
from personamem.loaders.personalens.statistics import measure_statistics

SEEDS = 60


def damage(random: Random, folder: Path) -> str:
    path = random.choice(sorted(folder.rglob("*.json*")))
    way = random.random()
    if way < 0.6 and path.suffix == ".json" and path.stat().st_size > 2:
        return f"{path.name}: {damage_json(random, path)}"
    if way < 0.9:
        return f"{path.name}: {damage_bytes(random, path)}"
    return f"{path.name}: {replace_file(random, path, folder.with_name('elsewhere'))}"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("lens") / "release")


def find_error(folder: Path) -> PersonamemError | None:
    try:
        measure_statistics(load_personalens(folder))
    except PersonamemError as error:
        return error
    return None


def test_damage_is_named_or_harmless(whole: Path, tmp_path: Path) -> None:
    refused = 0
    for seed in range(SEEDS):
        folder = Path(shutil.copytree(whole, tmp_path / str(seed) / "release"))
        what = damage(Random(seed), folder)
        error = find_error(folder)
        refused += error is not None
        assert error is None or str(folder) in str(error), (seed, what, error)
    assert refused > SEEDS / 3
