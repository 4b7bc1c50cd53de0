"""Work over a Ray cluster, as a pipeline of Ray Data, with results in the order of the jobs.

Ray decides where a job is done, does it again when its worker dies, and begins no more than the
memory for waiting results allows. A job must depend on nothing but itself: it may be done twice,
and on another machine.
"""

import os
import pickle
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any, TypeVar

from personamem.dataset_builder.core.ray_cluster import LOCAL, check_address, open_cluster
from personamem.loaders.formats.errors import InvalidInputError, PersonamemError

Job = TypeVar("Job")
Result = TypeVar("Result")

FOREVER = -1
"""How often Ray repeats a task whose worker died; its own rule for pipelines."""


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
        task = self._ray.remote(max_retries=FOREVER)(_make_task())
        reference = task.remote(self._pack(function, job))

        def take() -> Result:
            with self._explain():
                outcome = self._ray.get(reference)
            result: Result = _unpack(outcome)
            return result

        return take

    def map_in_order(
        self, function: Callable[[Job], Result], jobs: Iterable[Job]
    ) -> Generator[Result]:
        """Yield ``function(job)`` in the order of ``jobs``; a bounded number waits in memory.

        The jobs themselves are all handed over at once.
        """
        rows = [self._pack(function, job) for job in jobs]
        if not rows:
            return
        data, most = self._ray.data, len(rows)
        dataset = data.from_items(rows, override_num_blocks=most).map(
            _make_task(), compute=data.TaskPoolStrategy(size=min(self._count or most, most))
        )
        dataset.context.execution_options.preserve_order = True
        dataset.context.enable_progress_bars = False
        with self._explain():
            for row in dataset.iter_rows():
                yield _unpack(row)

    def _pack(self, function: Callable[[Job], Result], job: Job) -> dict[str, bytes]:
        # Pickled, since Ray would make columns of what a job holds, and lists of its tuples.
        return {"job": pickle.dumps((_do, (function, job, self.versions)))}

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except self._ray.exceptions.RayError as error:
            reason = str(error).strip().splitlines()[-1]
            raise PersonamemError(f"The Ray cluster {self._address!r} fails: {reason}") from error


def _make_task() -> Callable[[Mapping[str, bytes]], dict[str, bytes]]:
    """Return what Ray runs: a job as a row in, its result or error as a row out.

    A function within a function is sent whole, and this one needs nothing of ours, so that it can
    tell what a node lacks. Ray would try to load it again, for ever. Errors are results for
    Ray, which would print them, and raise others in their place.
    """

    def run(row: Mapping[str, bytes]) -> dict[str, bytes]:
        try:
            function, arguments = pickle.loads(row["job"])
            return {"outcome": pickle.dumps((function(*arguments), None))}
        except Exception as error:
            error.add_note(f"In a worker:\n{traceback.format_exc()}")
            return {"outcome": pickle.dumps((None, error))}

    return run


def _unpack(row: Mapping[str, bytes]) -> Any:
    result, error = pickle.loads(row["outcome"])
    if isinstance(error, ImportError):
        raise PersonamemError(
            f"A node of the Ray cluster lacks what a job needs: {error}. Install the same "
            "personamem on every node."
        ) from error
    if error is not None:
        raise error
    return result


def _do(function: Callable[[Job], Result], job: Job, versions: Mapping[str, str]) -> Result:
    _require_versions(versions)
    return function(job)


def _require_versions(versions: Mapping[str, str]) -> None:
    for package, expected in versions.items():
        found = version(package)
        if found != expected:
            raise InvalidInputError(
                f"A node of the Ray cluster has {package} {found}. Accepted: {expected}, as on the "
                "machine that the command runs on, since another may make other bytes."
            )
