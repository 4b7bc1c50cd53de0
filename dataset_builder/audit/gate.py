"""The gate of a build: structure, truth and blind policies, before anything is packaged.

Structure and truth are checked where the rows are made. The blind policies are fitted in a process
of their own, which loads its libraries while the first contexts are written.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from personamem.dataset_builder.audit.counts import CountedContext, check_counts
from personamem.dataset_builder.audit.findings import Offences
from personamem.dataset_builder.audit.records import ContextRecord, Item
from personamem.dataset_builder.audit.structure import (
    check_coverage,
    check_lengths,
    check_letters,
    check_quads,
    check_questions,
)
from personamem.dataset_builder.audit.truth import check_pairs, check_truth
from personamem.dataset_builder.config import BuildConfig
from personamem.dataset_builder.errors import PersonamemError
from personamem.dataset_builder.schema import Annotation, Question


class GateError(PersonamemError):
    """A dataset that must not be packaged; the message names the checks and the rows."""


def check_context(
    config: BuildConfig,
    split: str,
    context: ContextRecord,
    counted: CountedContext,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
) -> None:
    """Check one context and its questions; raises GateError."""
    offences = check_counts(split, context, counted, questions, annotations)
    offences.merge(check_truth(config, split, context, questions, annotations))
    _raise_if_any(split, offences)


def check_split(
    config: BuildConfig,
    split: str,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
    context_ids: Sequence[str],
) -> dict[str, Any]:
    """Check what only a whole split shows; return the figures for the manifest.

    Raises:
        GateError: a check failed.
    """
    offences = check_pairs(questions, annotations)
    check_questions(questions, context_ids, offences)
    check_lengths(questions, offences)
    check_quads(questions, annotations, offences)
    check_coverage(config, split, questions, offences)
    _raise_if_any(split, offences)
    letters = check_letters(questions, balanced=True)
    if not letters.passed:
        raise GateError(f"{split}: {letters.what}")
    ratios = (
        max(map(len, question.options)) / min(map(len, question.options)) for question in questions
    )
    return {"solver_agrees": len(questions), "max_option_length_ratio": round(max(ratios), 4)}


class BlindGate:
    """Runs the blind policies over splits, in one process beside the build."""

    def __enter__(self) -> "BlindGate":
        """Start the process."""
        self._pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
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


def _raise_if_any(split: str, offences: Offences) -> None:
    failed = offences.found()
    if failed:
        first = failed[0]
        more = f" Other checks failed as well: {', '.join(c.name for c in failed[1:])}." * (
            len(failed) > 1
        )
        raise GateError(
            f"{split}, check {first.name!r}: {offences.count(first)} offences. {first.what} "
            f"First: {offences.rows(first)[0]}.{more}"
        )
