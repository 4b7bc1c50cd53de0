"""Work over a Ray cluster, as a pipeline of Ray Data, with results in the order of the jobs.

Ray decides where a job is done, does it again when its worker dies, and begins no more than the
memory for waiting results allows. A job must depend on nothing but itself: it may be done twice,
and on another machine.
"""

import os
import pickle
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any, TypeVar

from personamem.dataset_builder.errors import InvalidInputError, PersonamemError
from personamem.dataset_builder.ray_cluster import LOCAL, check_address, open_cluster

Job = TypeVar("Job")
Result = TypeVar("Result")

FOREVER = -1
"""How often Ray repeats a task whose worker died: as often as that happens."""


class RayWorkers:
    """A ``Pool`` of the workers of a Ray cluster, to which it is connected while it is entered.

    Args:
        address: ``local`` for a cluster of this machine that ends with this pool, ``auto`` for one
            that this machine belongs to, or the host and port of its head.
        count: how many jobs are done at a time. Default: one a core of this machine if local, else
            as many as the cluster has cores.
        same: packages whose versions every worker must share with this process; kept, with these,
            as ``versions``.

    Raises:
        InvalidInputError: the address is none or cannot be reached, Ray is not installed, or a
            worker has other versions.
        PersonamemError: the cluster fails.
    """

    def __init__(
        self, address: str = LOCAL, count: int | None = None, same: Sequence[str] = ()
    ) -> None:
        check_address(address)
        self._address = address
        self._count = count or (os.cpu_count() or 1 if address == LOCAL else None)
        self.versions = {package: version(package) for package in same}

    def __enter__(self) -> "RayWorkers":
        """Start or reach the cluster."""
        with ExitStack() as stack:
            self._ray = stack.enter_context(open_cluster(self._address, self._count or 1))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the cluster, with the jobs that are not done; end it if it is our own."""
        self._stack.close()

    def start(self, function: Callable[[Job], Result], job: Job) -> Callable[[], Result]:
        """Begin a job that goes on beside others; what is returned waits for its result."""
        task = self._ray.remote(max_retries=FOREVER)(_do)
        reference = task.remote(pickle.dumps(job), function, self.versions)

        def take() -> Result:
            with self._explain():
                outcome = self._ray.get(reference)
            result: Result = _open(outcome)
            return result

        return take

    def map_in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Iterator[Result]:
        """Yield ``function(job)`` in the order of ``jobs``; a bounded number waits in memory.

        The jobs themselves are all handed over at once.
        """
        # Ray would make columns of what a job holds, lists of its tuples among them.
        rows = [{"job": pickle.dumps(job)} for job in jobs]
        if not rows:
            return
        data = self._ray.data
        dataset = data.from_items(rows, override_num_blocks=len(rows)).map(
            _do_row,
            fn_args=(function, self.versions),
            compute=data.TaskPoolStrategy(size=self._count),
        )
        dataset.context.execution_options.preserve_order = True
        dataset.context.enable_progress_bars = False
        with self._explain():
            for row in dataset.iter_rows():
                yield _open(row["outcome"])

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except self._ray.exceptions.RayError as error:
            raise PersonamemError(
                f"The Ray cluster {self._address!r} fails, or a node has no personamem: {error}"
            ) from error


def _do_row(
    row: Mapping[str, bytes], function: Callable[[Any], Any], versions: Mapping[str, str]
) -> dict[str, bytes]:
    return {"outcome": _do(row["job"], function, versions)}


def _do(job: bytes, function: Callable[[Any], Any], versions: Mapping[str, str]) -> bytes:
    """Return the pickled result of a job, or the error that it raised.

    Ray would wrap that error into one of its own, and print it.
    """
    try:
        _require_versions(versions)
        return pickle.dumps((function(pickle.loads(job)), None))
    except Exception as error:
        error.add_note(f"In a worker:\n{traceback.format_exc()}")
        return pickle.dumps((None, error))


def _open(outcome: bytes) -> Any:
    result, error = pickle.loads(outcome)
    if error is not None:
        raise error
    return result


def _require_versions(versions: Mapping[str, str]) -> None:
    for package, expected in versions.items():
        found = version(package)
        if found != expected:
            raise InvalidInputError(
                f"A node of the Ray cluster has {package} {found}. Accepted: {expected}, as on the "
                "machine that the command runs on, since another may make other bytes."
            )
