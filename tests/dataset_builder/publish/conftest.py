"""Publishing to a Hub of our own: real commands, real files, and no token in any word they say."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from forking_cli import ForkingCli
from hub import READ_TOKEN, TOKEN, Hub, run_hub
from hub_store import Store
from publishing import REPO, Publish, clean_environment, write_manifest


@pytest.fixture(scope="session")
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    with run_hub(tmp_path_factory.mktemp("hub") / "first") as hub:
        yield hub


@pytest.fixture
def hub(_served: Hub, tmp_path: Path) -> Hub:
    """A Hub without a repository, and without faults."""
    _served.store = Store(tmp_path / "hub")
    _served.faults, _served.requests, _served.large = [], [], True
    _served.after_commit = lambda repo: None
    return _served


@pytest.fixture(scope="session")
def cli(_served: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkingCli]:
    folder = tmp_path_factory.mktemp("runs")
    runs = ForkingCli(folder, clean_environment(_served.endpoint, folder / "home"))
    yield runs
    runs.close()


@pytest.fixture
def publish(cli: ForkingCli, hub: Hub) -> Publish:
    """A function that publishes a folder as ``own/bench``, and looks for tokens in its output."""

    def run(folder: Path, tag: str, *words: object, token: str | None = TOKEN, **more: Any) -> Any:
        finished = cli.run(
            *("publish", folder, "--repo-id", REPO, "--tag", tag, "--workers", 1, *words),
            env={"HF_TOKEN": token},
            **more,
        )
        said = finished.output + finished.errors
        for secret in (TOKEN, READ_TOKEN, token):
            assert not secret or secret not in said
        assert "Traceback" not in said, said
        assert finished.code in (0, 1, 2, -9), said
        return finished

    return run


@pytest.fixture(scope="session")
def audited(tiny_dataset: Path, cli: ForkingCli, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny dataset, version 1.0.0, with its audit.json."""
    folder = tmp_path_factory.mktemp("audited") / "dataset"
    shutil.copytree(tiny_dataset, folder)
    done = cli.run("audit", folder, "--workers", 1, "--json", folder / "audit.json")
    assert done.code == 0, done.errors
    return folder


@pytest.fixture
def release(audited: Path, tmp_path: Path) -> Callable[..., Path]:
    """A function that makes a copy of the dataset with a version, and files more in its manifest.

    The audit is made to name the new manifest: the audits of all versions are the same.
    """

    def make(version: str = "1.0.0", more: dict[str, bytes] | None = None) -> Path:
        folder = tmp_path / f"release-{version}"
        shutil.copytree(audited, folder)
        manifest = json.loads((folder / "manifest.json").read_bytes())
        manifest["version"] = manifest["config"]["version"] = version
        for name, body in (more or {}).items():
            (folder / name).write_bytes(body)
            digest = hashlib.sha256(body).hexdigest()
            manifest["files"][name] = {"sha256": digest, "bytes": len(body)}
        write_manifest(folder, manifest)
        return folder

    return make
