"""``personamem memory`` and ``personamem memory-check``: memory systems, without a reader."""

import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.families.personamem.memory.summary import (
    find_low,
    summarise_budget,
    summarise_cost,
    tabulate_budgets,
    tabulate_costs,
)
from personamem.dataset_builder.llm.cost import read_prices
from personamem.dataset_builder.reports.tables import TextTable, show_table
from personamem.loaders.formats.whole_files import prepare_file, write_json, write_whole
from personamem.loaders.memory.contract import check_memory
from personamem.loaders.memory.protocol import MOST_REWRITTEN
from personamem.loaders.memory.records import ContextRun, write_run
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.systems import NAMES, MemoryFactory, Models

SYSTEM_HELP = (
    f"{', '.join(NAMES)}; 'cmd:PROGRAM ARGUMENTS', which reads and writes a JSON object a line; "
    "module:factory of your own; amb:module:Class or benchd:module:Class, an adapter written for "
    "another harness."
)
BUDGETS = (500, 1_000, 2_000, 4_000)
SHOWN = 3
"""Failures of a system that are printed; the record has all."""

Llm = Annotated[str, typer.Option(help="Chat model of systems that extract or rewrite.")]
LlmServer = Annotated[
    str, typer.Option(help="Its server, such as http://localhost:8000/v1; key: OPENAI_API_KEY.")
]
LlmTokens = Annotated[
    int, typer.Option(help="Tokens that it may write at a time into an agentic memory.")
]
Embedder = Annotated[str, typer.Option(help="Embedding model of all systems.")]
Python = Annotated[
    str, typer.Option(help="Interpreter of the environment with a system's package. [this one]")
]


def memory(
    source: Annotated[str, typer.Argument(help="Dataset: a folder or a Hub id[@revision].")],
    split: Annotated[str, typer.Option(help="Size such as 32k, or noise level such as noise_05.")],
    system: Annotated[list[str], typer.Option(help=f"Memory system, repeatable: {SYSTEM_HELP}")],
    budget: Annotated[
        list[int] | None,
        typer.Option(help="Tokens that a search may return, repeatable. [default: 500 to 4000]"),
    ] = None,
    contexts: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many contexts. [default: all]")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Keep the runs here, one folder a system; a killed run goes on there."),
    ] = None,
    side_by_side: Annotated[
        int, typer.Option(min=1, help="Instances at a time, with two contexts each.")
    ] = 1,
    llm: Llm = "",
    llm_server: LlmServer = "",
    llm_tokens: LlmTokens = MOST_REWRITTEN,
    embedder: Embedder = "minilm",
    python: Python = "",
    price_input: Annotated[
        float | None, typer.Option(help="Price of a million tokens that the chat model reads.")
    ] = None,
    price_output: Annotated[
        float | None, typer.Option(help="Price of a million tokens that it writes.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all figures and every search.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit code 1 if the recall at a budget is less."),
    ] = None,
) -> None:
    """Measure what memory systems find of the evidence, at several budgets of tokens.

    Each context is added once, session by session with its dates; a question is asked when its time
    has come, and the memory has seen nothing later. The task condition _memory has any model read
    what a memory found: --metadata '{"memory": SYSTEM, "memory_folder": OUT/SYSTEM}'.

    Exit code 1 if a session could not be added, or a recall is too low.

    Example: personamem memory my-benchmark --split 4k --system bm25 --system oracle
    """
    from personamem.loaders.memory.timeline import open_memory_data

    prepare_file(json_file)
    prices = read_prices(price_input, None, price_output)
    data = open_memory_data(source, split)
    budgets = tuple(dict.fromkeys(budget or BUDGETS))
    chosen = data.context_ids[:contexts]
    models = _make_models(llm, llm_server, llm_tokens, embedder, python)
    found, costs, record, broken = [], [], {}, []
    for name in dict.fromkeys(system):
        place = out / name_folder(name) if out else None
        with MemoryFactory(name, data, models) as factory:
            runs = _run(data, factory, budgets, chosen, place, side_by_side)
        found += [summarise_budget(name, tokens, runs) for tokens in budgets]
        costs.append(summarise_cost(name, runs, prices))
        record[name] = [write_run(run) for run in runs]
        for failure in [failure for run in runs for failure in run.failures][:SHOWN]:
            errors().print(f"{name}: {failure}", soft_wrap=True, markup=False)
        lost = sum(not run.is_complete for run in runs)
        if lost:
            broken.append(f"{name}: {lost} of {len(runs)} contexts could not be added whole.")
    output().print(show_table(tabulate_budgets(found)))
    output().print(show_table(tabulate_costs(costs)))
    if json_file:
        figures = {
            "budgets": [asdict(row) for row in found],
            "costs": [asdict(row) for row in costs],
        }
        write_whole(json_file, json.dumps({**figures, "runs": record}, indent=1) + "\n")
    low = [] if fail_under is None else find_low(found, fail_under)
    for line in (*broken, *low):
        errors().print(line, soft_wrap=True, markup=False)
    if broken or low:
        raise typer.Exit(1)


def memory_check(
    system: Annotated[str, typer.Argument(help=f"Memory system: {SYSTEM_HELP}")],
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the verdicts to this file.")
    ] = None,
    llm: Llm = "",
    llm_server: LlmServer = "",
    llm_tokens: LlmTokens = MOST_REWRITTEN,
    embedder: Embedder = "minilm",
    python: Python = "",
) -> None:
    """Check that a memory system keeps to the contract: users, budgets, dates, reset.

    Exit code 1 if it does not.

    Example: personamem memory-check 'cmd:python my_memory.py'
    """
    prepare_file(json_file)
    models = _make_models(llm, llm_server, llm_tokens, embedder, python)
    with (
        MemoryFactory(system, None, models) as factory,
        tempfile.TemporaryDirectory(prefix="personamem-check-") as place,
    ):
        clauses = check_memory(lambda: factory.make(Path(tempfile.mkdtemp(dir=place))).system)
    rows = tuple(
        (clause.name, clause.what, "ok" if clause.passed else clause.fault) for clause in clauses
    )
    output().print(show_table(TextTable(system, ("clause", "what", "verdict"), rows)))
    if json_file:
        write_json(json_file, [asdict(clause) for clause in clauses])
    if not all(clause.passed for clause in clauses):
        raise typer.Exit(1)


def _make_models(llm: str, server: str, tokens: int, embedder: str, python: str) -> Models:
    return Models(
        llm, server, llm_tokens=tokens, embedder=embedder, python=python or sys.executable
    )


def name_folder(system: str) -> str:
    """Return the name of a system's folder: letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", system).strip("-")


def _run(
    data: Any,
    factory: MemoryFactory,
    budgets: Sequence[int],
    contexts: Sequence[str],
    folder: Path | None,
    side_by_side: int,
) -> list[ContextRun]:
    with errors().status(f"{factory.name}: 0 of {len(contexts)} contexts") as status:
        done = 0

        def tell(run: ContextRun) -> None:
            nonlocal done
            done += 1
            status.update(f"{factory.name}: {done} of {len(contexts)} contexts")

        return run_memory(
            data,
            factory,
            budgets,
            contexts=contexts,
            folder=folder,
            side_by_side=side_by_side,
            report=tell,
        )
