"""The gate of a build: what an audit refuses is refused before anything is packaged.

A worker that has a context in memory checks its structure, its truth, and its text: residue,
personal data, repeated messages. What only a whole split shows is checked by the parent. What the
gate leaves to the audit cannot fail, or hardly:

* Blind policies: ``check_quads`` proves that question and options are the same for all four
  personas and that each option is the gold of one, so whoever sees nothing else is right in exactly
  25 % of the questions.
* Metadata policies and shallow policies: the order of options and the rotation of personas are
  drawn at random, so these differ from what is accepted by chance alone, and an audit refuses that
  in less than one of 1,000 datasets (``core.error_rate``).
* Diversity, Self-BLEU and repeated 8-grams: content decides them, not the seed. Over 50 seeds at
  4k and 12 at 32k, their standard deviations are less than a tenth of the distance to the limit.
* Files, mirrors and the manifest: the build writes them from the rows that were checked.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from personamem.dataset_builder.core.findings import GateError, Violations
from personamem.dataset_builder.families.personamem.audit.counts import CountedContext, check_counts
from personamem.dataset_builder.families.personamem.audit.lives import check_lives
from personamem.dataset_builder.families.personamem.audit.structure import (
    check_coverage,
    check_lengths,
    check_letters,
    check_quads,
    check_questions,
)
from personamem.dataset_builder.families.personamem.audit.text import check_text
from personamem.dataset_builder.families.personamem.audit.truth import check_pairs
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.summary import summarise_checks
from personamem.loaders.formats.schema import Annotation, ContextRecord, Question


def check_context(
    config: PersonaMemConfig,
    split: str,
    context: ContextRecord,
    counted: CountedContext,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
) -> None:
    """Check one context and its questions; raises GateError."""
    violations = check_counts(split, context, counted, questions, annotations)
    violations.merge(check_lives(config, split, context, questions, annotations))
    violations.merge(check_text(context))
    _raise_if_any(split, violations)


def check_split(
    config: PersonaMemConfig,
    split: str,
    questions: Sequence[Question],
    annotations: Mapping[str, Annotation],
    context_ids: Sequence[str],
) -> dict[str, Any]:
    """Check what only a whole split shows; return the figures for the manifest.

    Raises:
        GateError: a check failed.
    """
    violations = check_pairs(questions, annotations)
    check_questions(questions, context_ids, violations)
    check_lengths(questions, violations)
    check_quads(questions, annotations, violations)
    check_coverage(config, split, questions, violations)
    _raise_if_any(split, violations)
    letters = check_letters(questions, balanced=True)
    if not letters.passed:
        raise GateError(f"{split}: {letters.what}")
    return summarise_checks(questions)


def _raise_if_any(split: str, violations: Violations) -> None:
    failed = violations.found()
    if failed:
        first = failed[0]
        more = f" Other checks failed as well: {', '.join(c.name for c in failed[1:])}." * (
            len(failed) > 1
        )
        raise GateError(
            f"{split}, check {first.name!r}: {violations.count(first)} violations. {first.what} "
            f"First: {violations.rows(first)[0]}.{more}"
        )
