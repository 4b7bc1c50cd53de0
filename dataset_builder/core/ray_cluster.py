"""A Ray cluster to work on: one of this machine for as long as it is needed, or one that runs.

Ray retries a connection for minutes, deep in its core, so another process tries the address first.
A cluster of our own keeps to itself: a secret of its own, nothing reported, its files removed.
"""

import logging
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

LOCAL = "local"
ACCEPTED = (
    "local, for a cluster of this machine that ends with the command; auto, for the cluster that "
    "this machine is a node of; HOST:PORT, for the head of that cluster"
)
CONNECT_SECONDS = 30
"""How long a cluster may take to answer."""

STORE_BYTES = 256 * 2**20
"""Memory of a local cluster for results that wait, per process; what exceeds it goes to disk."""

_CONNECT = """
import sys, ray
try:
    ray.init(sys.argv[1], log_to_driver=False, logging_level="ERROR")
except Exception as error:
    sys.exit(str(error))
"""


def check_address(address: str) -> None:
    """Raise InvalidInputError for what cannot be the address of a cluster."""
    if address.startswith("ray://"):
        raise InvalidInputError(
            f"Ray address {address!r} is one of Ray Client, which Ray Data does not work with. Run "
            f"the command on a node of the cluster. Accepted: {ACCEPTED}."
        )
    host, _, port = address.rpartition(":")
    if address not in (LOCAL, "auto") and not (host and port.isdecimal()):
        raise InvalidInputError(f"Ray address {address!r} is not one. Accepted: {ACCEPTED}.")


@contextmanager
def open_cluster(address: str, processes: int) -> Iterator[Any]:
    """Yield the module ``ray``, connected to a cluster until the end.

    ``processes`` is the size of a local cluster. Raises InvalidInputError when Ray is not installed
    or no cluster can be reached, and PersonamemError when a local one does not start.
    """
    ray = _import_ray()
    if ray.is_initialized():
        raise InvalidInputError("This process is connected to a Ray cluster already.")
    with ExitStack() as stack:
        stack.enter_context(_silence())
        if address == LOCAL:
            secluded = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_TOKEN": _make_secret()}
            stack.enter_context(_set_environment(secluded))
            # Not where TMPDIR says: sockets lie in it, and their paths must be short.
            folder = stack.enter_context(
                TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True)
            )
            # Its processes end before its folder is removed.
            stack.callback(ray.shutdown)
            _start_local(ray, folder, processes)
        else:
            _try_to_connect(address)
            stack.callback(ray.shutdown)
            ray.init(address, log_to_driver=False, configure_logging=False)
        yield ray


def _import_ray() -> Any:
    try:
        # Errors of workers are raised here; beside that Ray prints them to our standard output,
        # unless its filter of repeated lines takes them, which reads this as it is imported.
        with _set_environment({"RAY_DEDUP_LOGS_SKIP_REGEX": "."}):
            import ray
            import ray.data
    except ImportError as error:
        raise InvalidInputError(
            "Working on a cluster needs Ray Data: pip install 'personamem[ray]'."
        ) from error
    return ray


def _start_local(ray: Any, folder: str, processes: int) -> None:
    try:
        ray.init(
            LOCAL,
            num_cpus=processes,
            object_store_memory=processes * STORE_BYTES,
            include_dashboard=False,
            log_to_driver=False,
            configure_logging=False,
            _temp_dir=folder,
        )
    except Exception as error:
        raise PersonamemError(f"Ray does not start on this machine: {error}") from error


def _try_to_connect(address: str) -> None:
    command = [sys.executable, "-c", _CONNECT, address]
    try:
        tried = subprocess.run(command, capture_output=True, timeout=CONNECT_SECONDS)
        if tried.returncode == 0:
            return
        told = tried.stderr.decode("utf-8", "replace")
        reason = told.strip().splitlines()[-1] if told.strip() else "it ended without a word"
    except subprocess.TimeoutExpired as error:
        told = (error.stderr or b"").decode("utf-8", "replace")
        reason = f"no answer within {CONNECT_SECONDS} s"
    if "AuthToken" in told:
        reason = "it wants a token; set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN if needed"
    raise InvalidInputError(
        f"No Ray cluster can be reached at {address!r}: {reason}. Accepted: {ACCEPTED}."
    )


@cache
def _make_secret() -> str:
    """Return what others on this network would need to use our cluster.

    Ray reads it once in a process.
    """
    return secrets.token_hex(32)


@contextmanager
def _set_environment(changed: Mapping[str, str]) -> Iterator[None]:
    # Ray sets the mode as it starts, which would keep this process from other clusters.
    before = {name: os.environ.get(name) for name in (*changed, "RAY_AUTH_MODE")}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Ray, and what it runs, from the terminal, where progress is drawn.

    Errors are raised anyhow.
    """
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)
