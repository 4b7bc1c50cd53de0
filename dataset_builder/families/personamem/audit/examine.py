"""Examining contexts: all that an audit wants of a context, in one reading of it.

A worker reads a context, counts it, holds it against the world, measures its text and scores its
questions' options against it. What it hands back is small, so memory does not grow with the split.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from personamem.dataset_builder.core.findings import Violations
from personamem.dataset_builder.audit.records import Scores, make_items
from personamem.dataset_builder.audit.shallow import score_context
from personamem.dataset_builder.audit.text import ContextText, measure_context
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.core.parallel import Workers
from personamem.dataset_builder.families.personamem.audit.counts import check_counts, count_context
from personamem.dataset_builder.families.personamem.audit.sources import SplitSource
from personamem.dataset_builder.families.personamem.audit.structure import READABLE
from personamem.dataset_builder.families.personamem.audit.truth import check_truth
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.schema import Annotation, Question
from personamem.loaders.personamem.contexts import ContextStore

CONTEXTS_PER_JOB = 2
"""A row group of our files holds two contexts, and a worker decodes it once."""


@dataclass(frozen=True, slots=True)
class ContextJob:
    """Some contexts of a split with their questions.

    ``seed`` decides what the text samples, ``shallow`` whether options are scored.
    """

    split: str
    config: PersonaMemConfig | None
    contexts: ContextStore
    questions: Mapping[str, tuple[Question, ...]]
    annotations: Mapping[str, Annotation] | None
    seed: int
    shallow: bool


@dataclass(frozen=True, slots=True)
class ExaminedContext:
    """What one context showed.

    ``tokens`` is its size in o200k_base tokens; ``shallow[policy]`` holds the scores of the options
    of its questions, in the order of ``question_ids``.
    """

    context_id: str
    tokens: int
    violations: Violations
    text: ContextText | None
    question_ids: tuple[str, ...]
    shallow: Mapping[str, Scores]


def examine_contexts(
    source: SplitSource, workers: int, seed: int, shallow: bool
) -> Iterator[ExaminedContext]:
    """Yield every context of ``source``, examined, in file order; options if ``shallow``."""
    by_context: dict[str, list[Question]] = {}
    for question in source.questions:
        by_context.setdefault(question.shared_context_id, []).append(question)
    ids = list(source.contexts.ids)
    jobs = []
    for start in range(0, len(ids), CONTEXTS_PER_JOB):
        chosen = {
            key: tuple(by_context.get(key, ())) for key in ids[start : start + CONTEXTS_PER_JOB]
        }
        annotations = source.annotations and {
            question.question_id: source.annotations[question.question_id]
            for questions in chosen.values()
            for question in questions
            if question.question_id in source.annotations
        }
        jobs.append(
            ContextJob(
                split=source.split,
                config=source.config,
                contexts=source.contexts,
                questions=chosen,
                annotations=annotations,
                seed=seed,
                shallow=shallow,
            )
        )
    with Workers(workers if len(jobs) > 1 else 1, __name__) as pool:
        yield from chain.from_iterable(pool.map_in_order(examine_job, jobs))


def examine_job(job: ContextJob) -> list[ExaminedContext]:
    """Examine the contexts of ``job``."""
    return [_examine(job, context_id) for context_id in job.questions]


def _examine(job: ContextJob, context_id: str) -> ExaminedContext:
    try:
        context = job.contexts.read(context_id)
    except DatasetError as error:
        violations = Violations()
        violations.add(READABLE, str(error))
        return ExaminedContext(context_id, 0, violations, None, (), {})
    questions = job.questions[context_id]
    counted = count_context(context)
    violations = check_counts(job.split, context, counted, questions, job.annotations)
    if job.config and job.annotations is not None:
        violations.merge(check_truth(job.config, job.split, context, questions, job.annotations))
    inside = [q for q in questions if 0 < q.end_index_in_shared_context <= len(context.messages)]
    shallow: dict[str, Scores] = {}
    if job.shallow:
        ends = [question.end_index_in_shared_context for question in inside]
        shallow = score_context(context.messages, make_items(inside, job.annotations), ends)
    return ExaminedContext(
        context_id=context_id,
        tokens=counted.tokens[-1],
        violations=violations,
        text=measure_context(context_id, context.messages, context.session_starts, job.seed),
        question_ids=tuple(question.question_id for question in inside),
        shallow=shallow,
    )
