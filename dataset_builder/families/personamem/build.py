"""Building PersonaMem: contexts in parallel, files in order.

The unit of work is one context. A worker makes its text, its questions and their proof, and returns
bytes; the parent writes them in a fixed order, so the number of workers changes no byte.
"""

import gc
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from personamem.dataset_builder.families.base import BuildJob, BuiltFamily, Progress
from personamem.dataset_builder.families.personamem.audit.counts import CountedContext
from personamem.dataset_builder.families.personamem.audit.gate import check_context, check_split
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.flat import (
    FlatWriter,
    describe_hub_tasks,
    is_flat,
    make_flat_table,
    name_file,
)
from personamem.dataset_builder.families.personamem.lives.bank import (
    describe_proof,
    list_need_ids,
    require_proof,
)
from personamem.dataset_builder.families.personamem.lives.columns import ContextIndex, Row
from personamem.dataset_builder.families.personamem.lives.contexts import build_context
from personamem.dataset_builder.families.personamem.lives.events import (
    list_events,
    require_read_events,
)
from personamem.dataset_builder.families.personamem.lives.lexicon import find_named
from personamem.dataset_builder.families.personamem.lives.life import make_life
from personamem.dataset_builder.families.personamem.lives.packing import Context
from personamem.dataset_builder.families.personamem.lives.plan import plan_split
from personamem.dataset_builder.families.personamem.lives.preferring import rate_texts
from personamem.dataset_builder.families.personamem.lives.rows import make_row
from personamem.dataset_builder.families.personamem.lives.wording import word_quad
from personamem.dataset_builder.families.personamem.summary import divide_tokens, summarise_split
from personamem.dataset_builder.families.personamem.tables import (
    ContextsWriter,
    batch_from_bytes,
    batch_to_bytes,
    encode_messages,
    write_questions,
)
from personamem.dataset_builder.families.personamem.texts import Chats
from personamem.dataset_builder.fillers import Chat, list_everyday_chats, read_filler
from personamem.loaders.formats import schema
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import (
    Annotation,
    ContextRecord,
    Question,
)


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker makes a context from: its place, and the chats that a model wrote for it.

    ``chats`` holds None for those that fell back; it is None if no model writes.
    """

    config: PersonaMemConfig
    size: str
    group: int
    persona_index: int
    chats: tuple[Chat | None, ...] | None


@dataclass(frozen=True, slots=True)
class BuiltContext:
    """What a worker hands back: the table row (Arrow IPC), the JSON line, the question rows.

    ``flat`` holds those of the flat table (Arrow IPC), if the split has one; ``parts`` are its
    tokens by kind of text.
    """

    context_id: str
    batch: bytes
    flat: bytes | None
    json_line: bytes
    rows: tuple[Row, ...]
    parts: Mapping[str, int]


def start_build(job: BuildJob) -> Callable[[], BuiltFamily]:
    """Prepare a build; the returned function has the contexts built and writes the files.

    Raises:
        InvalidInputError: the topics cannot carry that many questions, or a text was changed after
            readers had understood it.
    """
    config = configure(job.config)
    require_proof()
    require_read_events()
    if config.filler:
        read_filler(config.filler, config.filler_column)
    # Large contexts first, and all sizes in one queue: no process waits at the end of a split, and
    # little follows the last context.
    jobs = {
        size: _list_jobs(config, size, job.texts)
        for size in sorted(config.sizes, key=schema.SIZES.__getitem__, reverse=True)
    }
    return partial(_build, job, config, jobs)


def _build(job: BuildJob, config: PersonaMemConfig, jobs: Mapping[str, list["Job"]]) -> BuiltFamily:
    splits, rows, checks = {}, {}, {}
    queue = chain.from_iterable(jobs.values())
    # Closed before the pool is: what is left of its results depends on it.
    with closing(job.pool.map_in_order(build_one, queue)) as contexts:
        for size, own in jobs.items():
            found, parts = _write_contexts(
                job.folder, size, islice(contexts, len(own)), len(own), job.report
            )
            questions, annotations = _separate(found)
            checks[size] = check_split(config, size, questions, annotations, tuple(parts))
            write_questions(job.folder, size, questions, list(annotations.values()))
            splits[size] = summarise_split(size, questions, annotations, tuple(parts.values()))
            for name in ("benchmark", "annotations"):
                rows[f"{name}/{size}.parquet"] = len(questions)
            if is_flat(size):
                rows[name_file(size)] = len(questions)
            rows[f"contexts/{size}.parquet"] = len(parts)
            rows[f"questions_{size}.csv"] = len(questions)
            rows[f"shared_contexts_{size}.jsonl"] = len(parts)
    summary: dict[str, Any] = {
        "splits": {size: splits[size] for size in config.sizes},
        "readings": describe_proof(),
    }
    if config.filler:
        summary["filler"] = read_filler(config.filler, config.filler_column).describe()
    return BuiltFamily(
        summary,
        rows,
        {size: checks[size] for size in config.sizes},
        list(describe_hub_tasks(config.sizes)),
    )


def _list_jobs(config: PersonaMemConfig, size: str, chats: Chats | None) -> list["Job"]:
    return [
        Job(
            config,
            size,
            plan.group,
            persona_index,
            None if chats is None else chats.get((size, plan.group, persona_index), ()),
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
) -> tuple[list[Row], dict[str, Mapping[str, int]]]:
    """Write the contexts of a split; return its rows in order, and tokens by context."""
    rows: list[Row] = []
    parts: dict[str, Mapping[str, int]] = {}
    tokens = 0
    with ExitStack() as stack:
        writer = stack.enter_context(ContextsWriter(folder, size))
        flat = stack.enter_context(FlatWriter(folder, size)) if is_flat(size) else None
        for built in contexts:
            writer.append(batch_from_bytes(built.batch), built.json_line)
            if flat is not None and built.flat is not None:
                flat.append(pa.Table.from_batches([batch_from_bytes(built.flat)]))
            rows.extend(built.rows)
            parts[built.context_id] = built.parts
            tokens += sum(built.parts.values())
            report(Progress(size, len(parts), total, tokens))
    # Ids are hashes, so this order is a shuffle that anybody can repeat.
    rows.sort(key=lambda row: row.question.question_id)
    return rows, parts


def load_texts() -> None:
    """Load the bank and the everyday chats, ahead of the processes that share them.

    What is wrong with a text is for those to say who need it.
    """
    with suppress(InvalidInputError):
        for need_id in list_need_ids():
            rate_texts(need_id)
        for chat in list_everyday_chats():
            find_named(chat)
        list_events()
    gc.collect()
    gc.freeze()


@cache
def _keep_bank() -> None:
    """Keep what is loaded by now out of garbage collections, each of which walks through it."""
    gc.freeze()


def build_one(job: Job) -> BuiltContext:
    """Build the context of the persona of a group and the questions asked in it."""
    config, size = job.config, job.size
    life = make_life(config, size, job.group, job.persona_index)
    _keep_bank()
    context = build_context(life, job.chats)
    body = encode_messages(context.messages)
    context_id = hashlib.sha256(body).hexdigest()
    index = ContextIndex(context)
    rows = [
        make_row(life, word_quad(config, life.plan, quad), index, context_id)
        for quad in life.plan.quads
    ]
    check_context(
        config,
        size,
        _as_record(context, index, context_id),
        CountedContext(index.tokens, index.letters, index.unrelated),
        *_separate(rows),
    )
    batch = _context_batch(context, index, context_id)
    flat = None
    if is_flat(size):
        pairs = [(row.question, row.annotation) for row in rows]
        (flat_batch,) = make_flat_table(size, pairs, context.messages).combine_chunks().to_batches()
        flat = batch_to_bytes(flat_batch)
    line = b'{"%s": %s}\n' % (context_id.encode(), body)
    parts = divide_tokens(
        context.messages, context.session_starts, context.session_topics, index.tokens
    )
    return BuiltContext(context_id, batch_to_bytes(batch), flat, line, tuple(rows), parts)


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


def _separate(rows: Sequence[Row]) -> tuple[list[Question], dict[str, Annotation]]:
    """Return questions, and annotations by question id, in the order of rows."""
    questions = [row.question for row in rows]
    return questions, {row.question.question_id: row.annotation for row in rows}


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
