"""Reaching a Ray cluster: what cannot work is refused soon, and our own cluster leaves nothing."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from personamem.dataset_builder.core import ray_cluster
from personamem.dataset_builder.core.ray_workers import RayWorkers
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")

OWN_CLUSTER = """
import os, psutil
from pathlib import Path
from personamem.dataset_builder.core.ray_workers import RayWorkers
before = {name for name in os.environ if name.startswith("RAY_")}
for total in (3, 7):
    with RayWorkers("local", 2) as pool:
        assert pool.start(sum, [total])() == total
        [folder] = Path("/tmp").glob(f"ray-*/session_*_{os.getpid()}")
        started = psutil.Process().children(recursive=True)
        assert len(started) > 2
    print(folder.parent)
    gone, alive = psutil.wait_procs(started, timeout=20)
    assert not alive, alive
assert before == {name for name in os.environ if name.startswith("RAY_")}
"""


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidInputError, match=r"pip install 'personamem\[ray\]'"):
        build_dataset(make_config(), tmp_path / "d", RayWorkers())
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("address", ["", "nowhere", "localhost:", ":6379", "host:port"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"Ray address '{address}' .* Accepted: local, .*"):
        RayWorkers(address)


def test_addresses_of_ray_client_are_refused_with_the_reason() -> None:
    with pytest.raises(InvalidInputError, match="Ray Data does not work with"):
        RayWorkers("ray://127.0.0.1:10001")


@needs_ray
@pytest.mark.system
def test_a_cluster_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "CONNECT_SECONDS", 3)
    with (
        pytest.raises(InvalidInputError, match=r"127.0.0.1:1': no answer within 3 s. Accepted"),
        RayWorkers("127.0.0.1:1"),
    ):
        pass


@needs_ray
@pytest.mark.system
def test_what_keeps_ray_from_connecting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", "nonsense")
    with (
        pytest.raises(InvalidInputError, match=r"'auto': .*nonsense"),
        RayWorkers("auto"),
    ):
        pass


@needs_ray
@pytest.mark.system
def test_a_cluster_of_our_own_leaves_nothing_behind() -> None:
    finished = subprocess.run(
        [sys.executable, "-c", OWN_CLUSTER], capture_output=True, text=True, timeout=120
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    folders = [Path(line) for line in finished.stdout.splitlines()]
    assert len(folders) == 2
    assert not any(folder.exists() for folder in folders)
