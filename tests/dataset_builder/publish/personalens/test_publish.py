"""Publishing users: tables and the official layout go to the Hub, and load from there."""

import json
import shutil
from pathlib import Path

import pytest
from hub import Hub
from hub_loading import run_loads
from publishing import Publish
from tiny_families import make_once, make_tiny_config

from personamem.dataset_builder.packaging.build import build_dataset

pytestmark = pytest.mark.system

LOAD = """
import json, sys
from personamem.loaders.personalens import load_personalens
for source, _, revision in json.loads(sys.argv[1]):
    data = load_personalens(source, revision=revision)
    print(len(data.profiles), len(data.tasks), len(data.quads) % 4, len(data.strays))
"""


def test_users_are_published_and_load(
    hub: Hub, publish: Publish, shared_folder: Path, tmp_path: Path
) -> None:
    built = make_once(
        shared_folder / "families" / "personalens",
        lambda folder: build_dataset(make_tiny_config("personalens"), folder, workers=1),
    )
    folder = Path(shutil.copytree(built, tmp_path / "users"))
    done = publish(folder, "v1.0.0")
    assert done.code == 0, done.errors
    audit = json.loads((folder / "audit.json").read_bytes())
    assert list(audit["parts"]) == ["dataset", "users"]
    loads = [("own/bench@v1.0.0", "", None)]
    assert run_loads(hub, tmp_path / "home", loads, LOAD) == ["24 111 0 0"]
