"""``personamem memory`` and ``personamem memory-check``: memory systems, without a reader."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Annotated, Any

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.core.whole_files import prepare_file, write_json, write_whole
from personamem.dataset_builder.reports.tables import TextTable, format_share, show_table
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.contract import check_memory
from personamem.loaders.memory.runner import ContextRun, iterate_scores, run_memory
from personamem.loaders.memory.systems import make_system

SYSTEM_HELP = (
    "none, full, oracle, bm25, minilm, random, broken; 'cmd:PROGRAM ARGUMENTS', which reads and "
    "writes a JSON object a line; or module:factory of your own."
)
BUDGETS = (500, 1_000, 2_000, 4_000)


def memory(
    source: Annotated[str, typer.Argument(help="Dataset: a folder or a Hub id[@revision].")],
    split: Annotated[str, typer.Option(help="Size such as 32k.")],
    system: Annotated[list[str], typer.Option(help=f"Memory system, repeatable: {SYSTEM_HELP}")],
    budget: Annotated[
        list[int] | None,
        typer.Option(help="Tokens that a search may return, repeatable. [default: 500 to 4000]"),
    ] = None,
    contexts: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many contexts. [default: all]")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the score of every search.")
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit code 1 if the recall at a budget is less."),
    ] = None,
) -> None:
    """Measure what memory systems find of the evidence, at several budgets of tokens.

    Each context is added once, session by session with its dates; a question is asked when its time
    has come, and the memory has seen nothing later. Recall is the share of evidence sessions that
    come back, stale the share of what comes back that tells of other options or another time.

    Example: personamem memory my-benchmark --split 4k --system bm25 --system oracle
    """
    from personamem.loaders import load_personamem

    prepare_file(json_file)
    data = load_personamem(source, split)
    budgets = tuple(budget or BUDGETS)
    chosen = data.context_ids[:contexts]
    rows, record, low = [], {}, []
    for name in system:
        runs = _run(name, data, budgets, chosen)
        record[name] = [asdict(run) for run in runs]
        for tokens in budgets:
            row, recall = _summarise(name, tokens, runs)
            rows.append(row)
            if fail_under is not None and not recall >= fail_under:
                low.append(f"{name} at {tokens} tokens: recall {recall:.3f}, under {fail_under:g}.")
        for failure in [failure for run in runs for failure in run.failures][:3]:
            errors().print(f"{name}: {failure}", soft_wrap=True, markup=False)
    head = ("system", "budget", "recall", "whole", "stale", "tokens", "foreign", "failed", "ms")
    note = (
        "whole: questions whose evidence all came back; tokens: returned, on average; foreign: "
        "texts of other users; ms: of a search."
    )
    output().print(show_table(TextTable("Evidence found", head, tuple(rows), note)))
    if json_file:
        write_whole(json_file, json.dumps(record, indent=1) + "\n")
    for line in low:
        errors().print(line, soft_wrap=True, markup=False)
    if low:
        raise typer.Exit(1)


def memory_check(
    system: Annotated[str, typer.Argument(help=f"Memory system: {SYSTEM_HELP}")],
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the verdicts to this file.")
    ] = None,
) -> None:
    """Check that a memory system keeps to the contract: users, budgets, dates, reset.

    Exit code 1 if it does not.

    Example: personamem memory-check 'cmd:python my_memory.py'
    """
    prepare_file(json_file)
    if system == "oracle":
        raise InvalidInputError("memory system oracle: it knows a dataset, and nothing else.")
    data: Any = None  # Only the oracle needs one.
    clauses = check_memory(lambda: make_system(system, data))
    rows = tuple(
        (clause.name, clause.what, "ok" if clause.passed else clause.fault) for clause in clauses
    )
    output().print(show_table(TextTable(system, ("clause", "what", "verdict"), rows)))
    if json_file:
        write_json(json_file, [asdict(clause) for clause in clauses])
    if not all(clause.passed for clause in clauses):
        raise typer.Exit(1)


def _run(name: str, data: Any, budgets: Sequence[int], contexts: Sequence[str]) -> list[ContextRun]:
    with errors().status(f"{name}: 0 of {len(contexts)} contexts") as status:
        done = 0

        def tell(run: ContextRun) -> None:
            nonlocal done
            done += 1
            status.update(f"{name}: {done} of {len(contexts)} contexts")

        return run_memory(data, make_system(name, data), budgets, contexts, tell)


def _summarise(name: str, budget: int, runs: Sequence[ContextRun]) -> tuple[tuple[str, ...], float]:
    scores = list(iterate_scores(runs, budget))
    recalls = [score.recall for score in scores if score.recall is not None]
    stale = [score.stale for score in scores if score.stale is not None]
    recall = mean(recalls) if recalls else math.nan
    whole = mean(value == 1 for value in recalls) if recalls else math.nan
    return (
        name,
        f"{budget:,}",
        format_share(recall),
        format_share(whole),
        format_share(mean(stale) if stale else math.nan),
        f"{mean(score.tokens for score in scores):,.0f}" if scores else "-",
        f"{sum(score.foreign for score in scores):,}",
        f"{sum(len(run.failures) for run in runs):,}",
        f"{1000 * mean(score.seconds for score in scores):,.1f}" if scores else "-",
    ), recall
