"""Loading from a Hub: only what is needed is fetched, and what it does not have is named."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hub import Hub, run_hub
from hub_http import Fault
from hub_loading import LOAD, add_repository, list_fetched, run_loads


@pytest.fixture
def hub(tiny: ModuleType, tmp_path: Path) -> Iterator[Hub]:
    ours, official = tmp_path / "repo/ours", tmp_path / "repo/official"
    for split in ("4k", "8k"):
        tiny.write_ours(ours, split)
        tiny.write_official(official, split)
    with run_hub(tmp_path / "hub") as hub:
        add_repository(hub, "own/ours", ours)
        add_repository(hub, "own/official", official)
        yield hub


def test_only_the_files_of_one_split_are_fetched_and_then_kept(hub: Hub, tmp_path: Path) -> None:
    home = tmp_path / "home"
    loads = [
        ("own/ours@v1.0.0", "4k", None),
        ("own/official", "8k", "v1.0.0"),
    ]
    assert run_loads(hub, home, loads) == ["8 own/ours@v1.0.0", "8 own/official@v1.0.0"]
    assert list_fetched(hub) == {
        "manifest.json",
        "benchmark/4k.parquet",
        "contexts/4k.parquet",
        "annotations/4k.parquet",
        "questions_8k.csv",
        "shared_contexts_8k.jsonl",
    }
    hub.requests.clear()
    again = run_loads(hub, home, [*loads, ("own/ours@v1.0.0", "8k", None)], HF_HUB_OFFLINE="1")
    assert again[:2] == ["8 own/ours@v1.0.0", "8 own/official@v1.0.0"]
    assert again[2].startswith("DatasetNotFoundError")
    assert hub.requests == []


def test_what_the_hub_does_not_have_is_named(hub: Hub, tmp_path: Path) -> None:
    loads = [
        ("own/ours@v9", "4k", None),
        ("own/nothing", "4k", None),
        ("own/ours", "32k", None),
        ("own/official", "32k", None),
    ]
    revision, repository, ours, official = run_loads(hub, tmp_path / "home", loads)
    assert "DatasetNotFoundError The Hub dataset 'own/ours' has no revision 'v9'" in revision
    assert "DatasetNotFoundError No local folder 'own/nothing', and the Hub dataset" in repository
    assert "InvalidInputError Unknown split" in ours
    assert "Accepted: 4k, 8k." in ours
    assert "InvalidInputError Unknown split of own/official '32k'" in official
    assert "Accepted: 4k, 8k." in official


IMPATIENT = "import time\ntime.sleep = lambda seconds: None\n"
"""The client waits between tries; what it does in the end is the same."""

LIST = """
from personamem.loaders.personamem.files import list_splits
print(*list_splits("own/official"))
"""


@pytest.mark.parametrize("trouble", ["down", "offline", "failing"])
def test_a_hub_that_cannot_be_asked_is_not_a_dataset_without_the_split(
    hub: Hub, tmp_path: Path, trouble: str
) -> None:
    home = tmp_path / "home"
    cached = [("own/official", "4k", None), ("own/ours", "4k", None)]
    assert run_loads(hub, home, cached) == ["8 own/official", "8 own/ours"]
    env = {}
    if trouble == "down":
        hub.endpoint = "http://127.0.0.1:9"
    elif trouble == "offline":
        env["HF_HUB_OFFLINE"] = "1"
    else:
        hub.faults = [Fault("GET /api/", status=503)]
    missing = [("own/official", "32k", None), ("own/ours", "32k", None), ("own/new", "4k", None)]
    lines = run_loads(hub, home, [*cached, *missing], IMPATIENT + LOAD + LIST, **env)
    *again, official, ours, new, splits = lines
    assert again == ["8 own/official", "8 own/ours"]
    assert official.startswith("DatasetError Split '32k' of own/official is not cached. The Hub")
    assert "cannot be asked which files the dataset 'own/official' has: " in official
    # What splits ours has is in its manifest, which is cached.
    assert ours == "InvalidInputError Unknown split of own/ours '32k'. Accepted: 4k, 8k."
    assert new.startswith("DatasetNotFoundError No local folder 'own/new', and the Hub dataset")
    assert splits == "4k"


def test_a_split_that_is_no_name_fetches_nothing(hub: Hub, tmp_path: Path) -> None:
    loads = [("own/ours", "*", None), ("own/official", "*", None), ("own/official", "../4k", None)]
    ours, *official = run_loads(hub, tmp_path / "home", loads)
    assert "Unknown split of own/ours '*'. Accepted: 4k, 8k." in ours
    for line in official:
        assert "InvalidInputError Unknown split of own/official" in line
    assert list_fetched(hub) == {"manifest.json"}
