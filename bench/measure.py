"""What the benchmarks share: a run in a process of its own, and the line that sums up ratios."""

import multiprocessing
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any


@dataclass(frozen=True, slots=True)
class Measured:
    """What a function returned, the seconds its process took, and the most memory it held."""

    value: Any
    seconds: float
    peak_bytes: int

    @property
    def peak_gib(self) -> float:
        """The most memory held, in GiB."""
        return self.peak_bytes / 2**30


def measure(function: Callable[..., Any], *arguments: object) -> Measured:
    """Run a function of a module in a process of its own; start-up and imports count."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(
        target=_send_value, args=(sender, function, arguments)
    )
    started = time.perf_counter()
    process.start()
    sender.close()
    try:
        value, peak_bytes = receiver.recv()
    except EOFError:
        process.join()
        raise RuntimeError(
            f"{function.__name__} ended with exit code {process.exitcode}; it has said why."
        ) from None
    process.join()
    return Measured(value, time.perf_counter() - started, peak_bytes)


def describe(name: str, ratios: Sequence[float]) -> str:
    """Return the one line that sums up the pairs: the median of their ratios, least and most."""
    return (
        f"{name}: {statistics.median(ratios):.2f}x "
        f"({min(ratios):.2f}-{max(ratios):.2f}, {len(ratios)} pairs)"
    )


def _send_value(
    sender: Connection, function: Callable[..., Any], arguments: tuple[object, ...]
) -> None:
    value = function(*arguments)
    # Linux counts in KiB.
    sender.send((value, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024))
