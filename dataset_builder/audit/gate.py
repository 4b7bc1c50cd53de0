"""The gate of a build: structure and truth, before anything is packaged (blind: ``blind_gate``)."""

from collections.abc import Mapping, Sequence
from typing import Any

from personamem.dataset_builder.audit.blind_gate import GateError
from personamem.dataset_builder.audit.counts import CountedContext, check_counts
from personamem.dataset_builder.audit.findings import Offences
from personamem.dataset_builder.audit.structure import (
    check_coverage,
    check_lengths,
    check_letters,
    check_quads,
    check_questions,
)
from personamem.dataset_builder.audit.truth import check_pairs, check_truth
from personamem.dataset_builder.config import BuildConfig
from personamem.dataset_builder.schema import Annotation, ContextRecord, Question


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
