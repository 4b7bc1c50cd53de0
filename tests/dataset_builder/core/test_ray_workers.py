"""Work over a Ray cluster: in order, as in one process, whatever happens to its workers."""

import operator
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pytest
from tiny_families import hash_files, make_tiny_config

from personamem.dataset_builder.core import ray_cluster
from personamem.dataset_builder.core.ray_cluster import check_address
from personamem.dataset_builder.core.ray_workers import RayWorkers
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

pytestmark = pytest.mark.system

if find_spec("ray") is None:
    pytest.skip("ray is not installed", allow_module_level=True)

DIE_ONCE = "[ -e {mark} ] || (touch {mark}; kill -9 $PPID)"
"""A command that kills the process by which it is run, but not the one that comes next."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a cluster of two processors, started as an administrator would."""
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
    # Ray reads once in a process how it authenticates: by a token, if a local cluster ran here.
    secret = {}
    if ray_cluster._make_secret.cache_info().currsize:
        secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": ray_cluster._make_secret()}
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", **secret}
    # Sockets lie in its folder, and their paths must be short.
    with TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block"]
        command += ["--num-cpus=2", f"--port={port}", "--include-dashboard=false"]
        command += [f"--temp-dir={folder}", f"--object-store-memory={2**28}"]
        log = Path(folder) / "started"
        with log.open("wb") as output:
            cluster = subprocess.Popen(
                command, env=environment, stdout=output, stderr=output, start_new_session=True
            )
        try:
            deadline = time.monotonic() + 60
            while b"Ray runtime started" not in log.read_bytes():
                assert cluster.poll() is None, log.read_text()
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.1)
            with patch.dict(os.environ, secret):
                yield f"127.0.0.1:{port}"
        finally:
            # Asked to end, it would wait for half a minute.
            os.killpg(cluster.pid, signal.SIGKILL)
            cluster.wait()


@pytest.fixture(scope="module")
def pool(address: str) -> Iterator[RayWorkers]:
    with RayWorkers(address, 2, same=["pyarrow"]) as pool:
        yield pool


def test_a_cluster_gives_the_same_bytes(
    pool: RayWorkers, tiny_of_every_family: Path, tmp_path: Path
) -> None:
    build_dataset(make_tiny_config(), tmp_path / "d", nullcontext(pool))
    assert hash_files(tmp_path / "d") == hash_files(tiny_of_every_family)


def test_a_job_whose_worker_dies_is_done_again(pool: RayWorkers, tmp_path: Path) -> None:
    marks = [tmp_path / name for name in "abc"]
    jobs = [DIE_ONCE.format(mark=mark) for mark in marks]
    take = pool.start(os.system, jobs[0])
    assert list(pool.map_in_order(os.system, ["exit 1", *jobs[1:], "exit 2"])) == [256, 0, 0, 512]
    assert take() == 0
    assert all(mark.exists() for mark in marks)


def test_results_come_in_the_order_of_the_jobs(pool: RayWorkers) -> None:
    jobs = [f"sleep 0.{number % 3}; exit {number}" for number in range(12)]
    results = [status // 256 for status in pool.map_in_order(os.system, jobs)]
    assert results == list(range(12))
    assert list(pool.map_in_order(os.system, [])) == []


def test_jobs_and_results_keep_their_types(pool: RayWorkers) -> None:
    jobs = [({"a": (1, None)}, {3}), ({}, frozenset())]
    found = [next(copies) for copies in pool.map_in_order(iter, [[job] for job in jobs])]
    assert found == jobs
    assert isinstance(found[0][0]["a"], tuple)


def test_errors_of_jobs_come_through(pool: RayWorkers) -> None:
    results = pool.map_in_order(operator.itemgetter(1), [(3, 4), (5,)])
    assert next(results) == 4
    with pytest.raises(IndexError, match=r"^tuple index out of range\nIn a worker"):
        next(results)
    take = pool.start(check_address, "nowhere")
    with pytest.raises(InvalidInputError, match=r"^Ray address 'nowhere' is not one"):
        take()


def test_a_node_with_other_versions_is_refused(
    pool: RayWorkers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(pool.versions, "pyarrow", "0.0.1")
    with pytest.raises(InvalidInputError, match=r"has pyarrow \d+.* Accepted: 0\.0\.1"):
        pool.start(sum, [1])()


def test_a_node_without_the_code_is_named(
    pool: RayWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("def work(job): return job", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    work = import_module("only_here").work
    with pytest.raises(PersonamemError, match=r"lacks what a job needs: .*only_here"):
        pool.start(work, 1)()
    with pytest.raises(PersonamemError, match=r"lacks what a job needs: .*only_here"):
        list(pool.map_in_order(work, [1]))


def test_one_process_works_on_one_cluster(pool: RayWorkers) -> None:
    with pytest.raises(InvalidInputError, match="connected to a Ray cluster already"), RayWorkers():
        pass
    assert pool.start(sum, [1, 2])() == 3
