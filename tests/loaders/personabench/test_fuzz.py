"""Whatever is wrong with the files of open questions, the loader names a file, or they load."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from dataset_fuzz import damage_bytes, damage_json, damage_rows, rehash, replace_file
from tiny_communities import write_communities
from tiny_release import write_release

from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.personabench import load_personabench

SEEDS = 20
TABLES = ("open_questions/noise_05.parquet", "documents/noise_05.parquet")
FILES = (*TABLES, "communities.json")


def damage_table(random: Random, folder: Path) -> str:
    name = random.choice(TABLES)
    way = damage_rows(random, folder / name, lambda column, value: True)
    rehash(folder, name)
    return f"{name}: {way}"


def damage_communities(random: Random, folder: Path) -> str:
    way = damage_json(random, folder / "communities.json")
    rehash(folder, "communities.json")
    return way


def damage_hashed_bytes(random: Random, folder: Path) -> str:
    name = random.choice(FILES)
    way = damage_bytes(random, folder / name)
    rehash(folder, name)
    return f"{name}: {way}"


def damage_official(random: Random, folder: Path) -> str:
    path = random.choice(sorted(folder.rglob("*.json")))
    if random.random() < 0.7:
        return f"{path.name}: {damage_json(random, path)}"
    return f"{path.name}: {damage_bytes(random, path)}"


def replace_any(random: Random, folder: Path) -> str:
    path = random.choice(sorted(path for path in folder.rglob("*.*") if path.is_file()))
    return f"{path.name}: {replace_file(random, path, folder.with_name('elsewhere'))}"


def try_to_read(folder: Path, what: str) -> PersonamemError | None:
    """Return the error that refuses a folder. Another error fails the test."""
    try:
        benchmark = load_personabench(folder)
        for noise in benchmark.noises:
            for archive in benchmark.archives(noise):
                assert all(asked.gold_session_ids for asked in archive.questions)
    except PersonamemError as error:
        return error
    except Exception as error:
        raise AssertionError(f"{what}: {error!r}") from error
    return None


@pytest.mark.parametrize(
    ("write", "damage"),
    [
        (write_communities, damage_table),
        (write_communities, damage_communities),
        (write_communities, damage_hashed_bytes),
        (write_communities, replace_any),
        (write_release, damage_official),
        (write_release, replace_any),
    ],
    ids=lambda value: value.__name__,
)
def test_damage_is_named(
    tmp_path: Path, write: Callable[[Path], Any], damage: Callable[[Random, Path], str]
) -> None:
    whole = tmp_path / "whole"
    write(whole)
    assert try_to_read(whole, "no damage") is None
    refused = 0
    for seed in range(SEEDS):
        folder = tmp_path / str(seed) / "data"
        shutil.copytree(whole, folder)
        what = f"seed {seed}, {damage(Random(f'{damage.__name__} {seed}'), folder)}"
        error = try_to_read(folder, what)
        refused += error is not None
        assert error is None or str(folder) in str(error), f"{what}: {error}"
    assert refused > SEEDS / 4
