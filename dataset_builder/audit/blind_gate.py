"""The blind policies as the gate of a build, fitted in a process beside it.

The process loads its libraries while the first contexts are written, so the build hardly waits.
This module imports little, since that process imports it first.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from multiprocessing import get_context
from typing import Any

from personamem.dataset_builder.audit.records import Item
from personamem.dataset_builder.core.parallel import open_pool
from personamem.loaders.formats.errors import PersonamemError


class GateError(PersonamemError):
    """A dataset that must not be packaged; the message names the checks and the rows."""


class BlindGate:
    """Runs the blind policies over splits, in one process beside the build."""

    def __enter__(self) -> "BlindGate":
        """Start the process."""
        self._pool = open_pool(1, get_context("spawn"))
        self._pool.submit(check_blind, "", ())
        self._splits: dict[str, Future[dict[str, Any]]] = {}
        return self

    def submit(self, split: str, items: Sequence[Item]) -> None:
        """Hand over the questions of a split."""
        self._splits[split] = self._pool.submit(check_blind, split, items)

    def results(self) -> dict[str, dict[str, Any]]:
        """Wait, and return the figures for the manifest by split; raises GateError on a leak."""
        return {split: future.result() for split, future in self._splits.items()}

    def __exit__(self, *error: object) -> None:
        """Stop the process."""
        self._pool.shutdown(cancel_futures=True)


def check_blind(split: str, items: Sequence[Item]) -> dict[str, Any]:
    """Hold the blind policies against chance; return the figures for the manifest.

    Raises:
        GateError: a policy beats chance.
    """
    from personamem.dataset_builder.audit.baselines import OVERALL, run_blind_baselines

    baselines = run_blind_baselines(items) if items else ()
    leaks = [row for row in baselines if not row.passed]
    if leaks:
        named = ", ".join(f"{row.policy} on {row.question_type}" for row in leaks)
        raise GateError(f"{split} can be answered blind: {named}.")
    overall = [row.accuracy.share for row in baselines if row.question_type == OVERALL]
    return {
        "blind_policies": len(overall),
        "highest_blind_accuracy": round(max(overall, default=0.0), 4),
    }
