"""Building a dataset: contexts in parallel, files in order, the folder whole or not at all.

The unit of work is one context. A worker makes its text, its questions and their proof, and hands
back bytes; the parent writes them in a fixed order, so the number of workers changes no byte.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from personamem.cards import render_card
from personamem.dataset_builder.audit.blind_gate import BlindGate
from personamem.dataset_builder.audit.records import make_items
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.core.parallel import Pool, Workers
from personamem.dataset_builder.families.personabench.audit.findings import require_sound
from personamem.dataset_builder.families.personabench.files import (
    encode_communities,
    summarise_communities,
    write_communities,
)
from personamem.dataset_builder.families.personabench.rows import make_tables
from personamem.dataset_builder.families.personamem.audit.counts import CountedContext
from personamem.dataset_builder.families.personamem.audit.gate import check_context, check_split
from personamem.dataset_builder.families.personamem.contexts import Context, build_context
from personamem.dataset_builder.families.personamem.planning import plan_split
from personamem.dataset_builder.families.personamem.questions.quads import word_quad
from personamem.dataset_builder.families.personamem.questions.rows import (
    ContextIndex,
    Row,
    make_row,
)
from personamem.dataset_builder.families.personamem.sessions import WrittenSession
from personamem.dataset_builder.families.personamem.tables import (
    ContextsWriter,
    batch_from_bytes,
    batch_to_bytes,
    encode_messages,
    write_questions,
)
from personamem.dataset_builder.families.personamem.world.cohort import build_cohort
from personamem.dataset_builder.packaging.folder import stage_folder
from personamem.dataset_builder.packaging.generated_text import GeneratedText
from personamem.dataset_builder.packaging.manifest import (
    make_manifest,
    summarise_split,
    write_manifest,
)
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import (
    Annotation,
    ContextRecord,
    Question,
    make_annotation,
)
from personamem.loaders.personabench.schema import Utterance


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is: contexts of a split that are done, and their o200k_base tokens."""

    size: str
    done: int
    total: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker makes a context from: its place, and what a model wrote for it.

    ``sessions`` and ``options`` are those of ``GeneratedText.sessions_of`` and ``GeneratedText.options_of``.
    """

    config: PersonaMemConfig
    size: str
    group: int
    persona_index: int
    sessions: tuple[WrittenSession | None, ...]
    options: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """What a worker hands back: the table row (Arrow IPC), the JSON line, the question rows."""

    context_id: str
    batch: bytes
    json_line: bytes
    rows: tuple[Row, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class BuiltCommunities:
    """The open questions: their files, the rows of these, counts and checks of the manifest."""

    files: Mapping[str, bytes]
    rows: Mapping[str, int]
    summary: Mapping[str, Any]
    checks: Mapping[str, Any]


def build_dataset(
    config: PersonaMemConfig,
    out: Path,
    workers: int | Pool | None = None,
    overwrite: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
    script: GeneratedText | None = None,
) -> dict[str, Any]:
    """Build the dataset ``config`` into the folder ``out`` and return its manifest.

    ``workers`` processes work on contexts (default: one a core), or a pool that is entered once
    the folder is known to be of use. ``script`` is what a model wrote, for a ``config`` with the
    writer openai. Raises InvalidInputError for a folder that cannot be used or questions that do
    not fit, and GateError when a check fails.
    """
    if (script is None) != (config.writer == "template"):
        raise InvalidInputError("A script is needed for the writer openai, and for no other.")
    script = script or GeneratedText()
    if workers is None or isinstance(workers, int):
        workers = Workers(
            workers or os.cpu_count() or 1, "personamem.dataset_builder.packaging.worker_imports"
        )
    with stage_folder(out, overwrite) as folder, BlindGate() as blind, workers as pool:
        splits, counts, checks = {}, {}, {}
        take_communities = pool.start(build_communities, (config, script.documents))
        # Large contexts first, and all sizes in one queue: no process waits at the end of a split,
        # and what has to follow the last context is little.
        jobs = {
            size: _list_jobs(config, size, script)
            for size in sorted(config.sizes, key=schema.SIZES.__getitem__, reverse=True)
        }
        # Closed before the pool is: what is left of its results hangs on it.
        with closing(pool.map_in_order(build_one, chain.from_iterable(jobs.values()))) as contexts:
            for size, own in jobs.items():
                benchmark, annotations, tokens = _write_contexts(
                    folder, size, islice(contexts, len(own)), len(own), report
                )
                questions, notes = _as_read(benchmark, annotations)
                checks[size] = check_split(config, size, questions, notes, tuple(tokens))
                blind.submit(size, make_items(questions, notes))
                write_questions(folder, size, benchmark, annotations)
                splits[size] = summarise_split(size, benchmark, tuple(tokens.values()))
                for name in ("benchmark", "annotations"):
                    counts[f"{name}/{size}.parquet"] = len(benchmark)
                counts[f"contexts/{size}.parquet"] = len(tokens)
                counts[f"questions_{size}.csv"] = len(benchmark)
                counts[f"shared_contexts_{size}.jsonl"] = len(tokens)
        (folder / "CHANGELOG.md").write_text(
            f"# Changelog\n\n## {config.version}\n\nBuilt with seed {config.seed}; "
            f"configuration {config.fingerprint()}.\n",
            encoding="utf-8",
        )
        communities = take_communities()
        figures = blind.results()
        splits = {size: splits[size] for size in config.sizes}
        checks = {size: checks[size] | figures[size] for size in config.sizes}
        summary = None
        if communities is not None:
            write_communities(folder, communities.files)
            checks["communities"] = dict(communities.checks)
            counts |= communities.rows
            summary = communities.summary
        manifest = make_manifest(config, folder, splits, summary, counts, checks, script.summary)
        (folder / "README.md").write_text(render_card(manifest), encoding="utf-8")
        write_manifest(folder, manifest)
    return manifest


def _list_jobs(config: PersonaMemConfig, size: str, script: GeneratedText) -> list[Job]:
    return [
        Job(
            config,
            size,
            plan.group,
            persona_index,
            script.sessions_of(size, plan.group, persona_index),
            script.options_of(size, plan.group),
        )
        for plan in plan_split(config, size)
        for persona_index in range(schema.COHORT_SIZE)
    ]


def _write_contexts(
    folder: Path,
    size: str,
    contexts: Iterable[BuiltContext],
    total: int,
    report: Callable[[Progress], None],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, int]]:
    """Write the contexts of a split; return its benchmark rows, annotations, tokens by context."""
    rows: list[Row] = []
    tokens: dict[str, int] = {}
    with ContextsWriter(folder, size) as writer:
        for built in contexts:
            writer.append(batch_from_bytes(built.batch), built.json_line)
            rows.extend(built.rows)
            tokens[built.context_id] = built.tokens
            report(Progress(size, len(tokens), total, sum(tokens.values())))
    # Ids are hashes, so this order is a shuffle that anybody can repeat.
    rows.sort(key=lambda row: str(row.benchmark["question_id"]))
    return [row.benchmark for row in rows], [row.annotation for row in rows], tokens


def build_communities(
    job: tuple[PersonaMemConfig, Mapping[str, tuple[Utterance, ...]]],
) -> BuiltCommunities | None:
    """Build the open questions and check them; None if the config wants none."""
    config, written = job
    if not config.communities:
        return None
    tables = make_tables(config.seed, config.communities, written)
    checks = require_sound(config, tables)
    files, rows = encode_communities(tables)
    return BuiltCommunities(files, rows, summarise_communities(tables), checks)


def build_one(job: Job) -> BuiltContext:
    """Build the context of the persona of a group and the questions asked in it."""
    config, size, persona_index = job.config, job.size, job.persona_index
    plan = plan_split(config, size)[job.group]
    cohort = build_cohort(config.seed, plan.cohort)
    context = build_context(config, plan, cohort, persona_index, job.sessions)
    body = encode_messages(context.messages)
    context_id = hashlib.sha256(body).hexdigest()
    index = ContextIndex(context)
    rows = []
    for quad_plan in plan.quads:
        quad = word_quad(config, quad_plan, cohort.threads[quad_plan.thread_id])
        quad = replace(quad, options=job.options.get(quad_plan.quad_id, quad.options))
        rows.append(make_row(config, quad, cohort, persona_index, index, context_id))
    check_context(
        config,
        size,
        _as_record(context, index, context_id),
        CountedContext(index.tokens, index.letters, index.unrelated),
        *_as_read([row.benchmark for row in rows], [row.annotation for row in rows]),
    )
    batch = _context_batch(context, index, context_id)
    line = b'{"%s": %s}\n' % (context_id.encode(), body)
    return BuiltContext(context_id, batch_to_bytes(batch), line, tuple(rows), index.tokens[-1])


def _as_record(context: Context, index: ContextIndex, context_id: str) -> ContextRecord:
    """Return the context as its file will state it."""
    return ContextRecord(
        context_id=context_id,
        persona_id=context.persona.persona_id,
        messages=context.messages,
        session_starts=context.session_starts,
        session_topics=context.session_topics,
        session_dates=tuple(day.isoformat() for day in context.session_dates),
        num_tokens=index.tokens[-1],
        num_letters=index.letters[-1],
    )


def _as_read(
    benchmark: Sequence[Mapping[str, Any]], annotations: Sequence[Mapping[str, Any]]
) -> tuple[list[Question], dict[str, Annotation]]:
    """Return rows as the loaders will read them."""
    questions = [Question(**{**row, "options": tuple(row["options"])}) for row in benchmark]
    return questions, {row["question_id"]: make_annotation(row) for row in annotations}


def _context_batch(context: Context, index: ContextIndex, context_id: str) -> pa.RecordBatch:
    row = {
        "shared_context_id": context_id,
        "persona_id": context.persona.persona_id,
        "num_messages": len(context.messages),
        "num_tokens": index.tokens[-1],
        "num_letters": index.letters[-1],
        "session_starts": list(context.session_starts),
        "session_topics": list(context.session_topics),
        "session_dates": [day.isoformat() for day in context.session_dates],
        "messages": list(context.messages),
    }
    return pa.RecordBatch.from_pylist([row], schema=schema.CONTEXTS_SCHEMA)
