"""Building a dataset: contexts in parallel, files in order, the folder whole or not at all.

The unit of work is one context. A worker makes its text, its questions and their proof, and hands
back bytes; the parent writes them in a fixed order, so the number of workers changes no byte.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from personamem.cards import render_card
from personamem.dataset_builder import schema
from personamem.dataset_builder.audit.blind_gate import BlindGate
from personamem.dataset_builder.audit.communities import require_sound
from personamem.dataset_builder.audit.counts import CountedContext
from personamem.dataset_builder.audit.gate import check_context, check_split
from personamem.dataset_builder.audit.records import make_items
from personamem.dataset_builder.community.rows import make_tables
from personamem.dataset_builder.config import BuildConfig
from personamem.dataset_builder.contexts import Context, build_context
from personamem.dataset_builder.package.communities import (
    encode_communities,
    summarise_communities,
    write_communities,
)
from personamem.dataset_builder.package.folder import stage_folder
from personamem.dataset_builder.package.manifest import (
    make_manifest,
    summarise_split,
    write_manifest,
)
from personamem.dataset_builder.package.tables import (
    ContextsWriter,
    batch_from_bytes,
    batch_to_bytes,
    write_questions,
)
from personamem.dataset_builder.parallel import Pool, Workers
from personamem.dataset_builder.planning import plan_split
from personamem.dataset_builder.questions.quads import word_quad
from personamem.dataset_builder.questions.rows import ContextIndex, Row, make_row
from personamem.dataset_builder.schema import (
    Annotation,
    ContextRecord,
    Question,
    make_annotation,
)
from personamem.dataset_builder.world.cohort import build_cohort


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a build is: contexts of a split that are done, and their o200k_base tokens."""

    size: str
    done: int
    total: int
    tokens: int


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
    config: BuildConfig,
    out: Path,
    workers: int | Pool | None = None,
    overwrite: bool = False,
    report: Callable[[Progress], None] = lambda progress: None,
) -> dict[str, Any]:
    """Build the dataset ``config`` into the folder ``out`` and return its manifest.

    ``workers`` processes work on contexts (default: one a core), or a pool that is entered once
    the folder is known to be of use. Raises InvalidInputError for a folder that cannot be used or
    questions that do not fit, and GateError when a check fails.
    """
    if workers is None or isinstance(workers, int):
        workers = Workers(workers or os.cpu_count() or 1, __name__)
    with stage_folder(out, overwrite) as folder, workers as pool, BlindGate() as blind:
        splits, counts, checks = {}, {}, {}
        take_communities = pool.start(build_communities, config)
        for size in config.sizes:
            benchmark, annotations, tokens = _build_split(config, size, folder, pool, report)
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
        summary = None
        communities = take_communities()
        if communities is not None:
            write_communities(folder, communities.files)
            checks["communities"] = dict(communities.checks)
            counts |= communities.rows
            summary = communities.summary
        for size, figures in blind.results().items():
            checks[size] |= figures
        manifest = make_manifest(config, folder, splits, summary, counts, checks)
        (folder / "README.md").write_text(render_card(manifest), encoding="utf-8")
        write_manifest(folder, manifest)
    return manifest


def _build_split(
    config: BuildConfig,
    size: str,
    folder: Path,
    pool: Pool,
    report: Callable[[Progress], None],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], dict[str, int]]:
    """Write the contexts of a split; return its benchmark rows, annotations, tokens by context."""
    jobs = [
        (config, size, plan.group, k)
        for plan in plan_split(config, size)
        for k in range(schema.COHORT_SIZE)
    ]
    rows: list[Row] = []
    tokens: dict[str, int] = {}
    with ContextsWriter(folder, size) as contexts:
        for built in pool.map_in_order(build_one, jobs):
            contexts.append(batch_from_bytes(built.batch), built.json_line)
            rows.extend(built.rows)
            tokens[built.context_id] = built.tokens
            report(Progress(size, len(tokens), len(jobs), sum(tokens.values())))
    # Ids are hashes, so this order is a shuffle that anybody can repeat.
    rows.sort(key=lambda row: str(row.benchmark["question_id"]))
    return [row.benchmark for row in rows], [row.annotation for row in rows], tokens


def build_communities(config: BuildConfig) -> BuiltCommunities | None:
    """Build the open questions and check them; None if the config wants none."""
    if not config.communities:
        return None
    tables = make_tables(config.seed, config.communities)
    checks = require_sound(config, tables)
    files, rows = encode_communities(tables)
    return BuiltCommunities(files, rows, summarise_communities(tables), checks)


def build_one(job: tuple[BuildConfig, str, int, int]) -> BuiltContext:
    """Build the context of persona ``k`` of a group and the questions asked in it."""
    config, size, group, k = job
    plan = plan_split(config, size)[group]
    cohort = build_cohort(config.seed, plan.cohort)
    context = build_context(config, plan, cohort, k)
    messages = list(context.messages)
    body = json.dumps(messages, ensure_ascii=False)
    context_id = hashlib.sha256(body.encode()).hexdigest()
    index = ContextIndex(context)
    rows = []
    for quad_plan in plan.quads:
        quad = word_quad(config, quad_plan, cohort.threads[quad_plan.thread_id])
        rows.append(make_row(config, quad, cohort, k, index, context_id))
    check_context(
        config,
        size,
        _as_record(context, index, context_id),
        CountedContext(index.tokens, index.letters, index.unrelated),
        *_as_read([row.benchmark for row in rows], [row.annotation for row in rows]),
    )
    batch = _context_batch(context, index, context_id)
    line = f'{{"{context_id}": {body}}}\n'.encode()
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
