"""Examining contexts: everything an audit needs of a context, in one reading of it.

A worker reads a context, has its family check it, measures its text and scores the options of its
questions against it. What it returns is small, so memory does not grow with the split.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from personamem.dataset_builder.audit.shallow import score_context
from personamem.dataset_builder.audit.text import ContextText, measure_context
from personamem.dataset_builder.core.items import Scores
from personamem.dataset_builder.core.parallel import Workers
from personamem.dataset_builder.families.subject import CheckedContext, ContextJob, ReadContext


@dataclass(frozen=True, slots=True)
class ExaminedContext:
    """What one context showed.

    ``shallow[policy]`` holds the scores of the options of its questions, in the order of
    ``question_ids``.
    """

    checked: CheckedContext
    text: ContextText | None
    question_ids: tuple[str, ...]
    shallow: Mapping[str, Scores]


@dataclass(frozen=True, slots=True)
class ExamineJob:
    """Contexts to examine; ``seed`` decides what the text measures sample."""

    contexts: ContextJob
    seed: int
    shallow: bool


def examine_contexts(
    jobs: Sequence[ContextJob], workers: int, seed: int, shallow: bool
) -> Iterator[ExaminedContext]:
    """Yield every context of ``jobs``, examined, in order; options are scored if ``shallow``."""
    if not jobs:
        return
    work = [ExamineJob(job, seed, shallow) for job in jobs]
    with Workers(workers if len(jobs) > 1 else 1, [__name__]) as pool:
        yield from chain.from_iterable(pool.map_in_order(examine_job, work))


def examine_job(job: ExamineJob) -> list[ExaminedContext]:
    """Examine the contexts of ``job``."""
    return [_examine(context, job) for context in job.contexts.read()]


def _examine(context: ReadContext, job: ExamineJob) -> ExaminedContext:
    shallow: dict[str, Scores] = {}
    if job.shallow and context.messages:
        shallow = score_context(context.messages, context.items, context.ends)
    text = None
    if context.messages:
        text = measure_context(
            context.context_id,
            context.messages,
            context.session_starts,
            job.seed,
            context.slips,
        )
    return ExaminedContext(
        checked=CheckedContext(
            context.context_id, context.tokens, context.violations, context.parts
        ),
        text=text,
        question_ids=tuple(item.question_id for item in context.items),
        shallow=shallow,
    )
