"""``personamem judge``: open replies to the second release's questions, graded by a model."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.reports.tables import TextTable, format_share, show_table
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.whole_files import prepare_file, write_whole

if TYPE_CHECKING:
    from personamem.dataset_builder.families.personamem.judging.judge import Judge, Judgement
    from personamem.dataset_builder.families.personamem.judging.replies import OpenRun
    from personamem.dataset_builder.llm import AnswerStore, Prices

STORE = "judgements.sqlite"
STATUSES = ("empty", "leaked", "unreadable", "failed")


def judge(
    samples: Annotated[
        list[Path],
        typer.Argument(
            help="Samples that --log_samples wrote for open tasks of PersonaMem-v2, or folders "
            "with them.",
            show_default=False,
        ),
    ],
    model: Annotated[str, typer.Option(help="The judge: a model's name on the server.")],
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Address of an OpenAI-compatible server, mostly ending in /v1; the key is read "
            "from OPENAI_API_KEY. Without it, the store alone answers."
        ),
    ] = None,
    store_file: Annotated[
        Path | None,
        typer.Option(
            "--store", help=f"File that keeps the verdicts. [default: {STORE} beside the samples]"
        ),
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests at a time.")] = 16,
    max_tokens: Annotated[int, typer.Option(min=1, help="Room for a verdict, in tokens.")] = 1024,
    budget: Annotated[float | None, typer.Option(help="The most to spend; needs prices.")] = None,
    price_input: Annotated[
        float | None, typer.Option(help="Price of a million input tokens.")
    ] = None,
    price_cached: Annotated[float | None, typer.Option(help="Of cached input tokens.")] = None,
    price_output: Annotated[float | None, typer.Option(help="Of output tokens.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print calls, tokens and price; send nothing.")
    ] = False,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write the verdict on every reply.")
    ] = None,
) -> None:
    """Have open replies graded by a model: one call a reply, every verdict stored at once.

    Replies that are to use what is known of the user, and replies that are to leave something out,
    are graded by different rubrics, chosen by the class of the row. A reply that holds a
    confidential value scores 0, whatever the judge says. Verdicts that cannot be read are counted
    apart and count in no mean.

    Example: personamem judge results --model gpt-5 --base-url https://api.openai.com/v1
    """
    from personamem.dataset_builder.families.personamem.judging.judge import Judge, judge_runs
    from personamem.dataset_builder.families.personamem.judging.replies import read_open_runs
    from personamem.dataset_builder.llm import FREE, AnswerStore, Server, fill_from, read_prices
    from personamem.dataset_builder.llm.showing import show_answers

    prepare_file(json_file)
    prices = read_prices(price_input, price_cached, price_output)
    if prices is None and budget is not None:
        raise InvalidInputError("--budget needs --price-input and --price-output.")
    runs, who = read_open_runs(samples), Judge(model, max_tokens)
    first = samples[0]
    path = store_file or (first if first.is_dir() else first.parent) / STORE
    if not plan:
        prepare_file(path)
    elif not path.exists():
        _print_plan(runs, who, prices, None)
        return
    with AnswerStore(path) as store:
        if plan:
            _print_plan(runs, who, prices, store)
            return
        server = Server(base_url, concurrency=concurrency) if base_url else None
        with show_answers("verdicts") as report:
            found = judge_runs(
                runs,
                who,
                store,
                fill_from(server) if server else None,
                prices=prices or FREE,
                budget=budget,
                report=report,
            )
    for run, judgements in zip(runs, found, strict=True):
        for table in tabulate(run.name, judgements):
            output().print(show_table(table))
    failed = sum(each.status == "failed" for judgements in found for each in judgements)
    if failed:
        errors().print(f"{failed:,} replies have no verdict; the same command asks again.")
    if json_file:
        data = {
            str(run.path): [_describe(judgement) for judgement in judgements]
            for run, judgements in zip(runs, found, strict=True)
        }
        write_whole(json_file, json.dumps({"judge": model, "runs": data}, indent=1) + "\n")


def tabulate(name: str, judgements: Sequence["Judgement"]) -> list[TextTable]:
    """Return the figures of a run by class, by ``pref_type`` and by scenario."""
    from personamem.loaders.personamem.version2.records import KINDS

    by: list[tuple[str, Callable[[Judgement], str], Sequence[str]]] = [
        ("class", lambda each: each.reply.kind, KINDS),
        ("pref_type", lambda each: each.reply.pref_type, ()),
        ("scenario", lambda each: each.reply.scenario, ()),
    ]
    tables = []
    for title, group_of, order in by:
        groups: dict[str, list[Judgement]] = {key: [] for key in order}
        for judgement in judgements:
            groups.setdefault(group_of(judgement), []).append(judgement)
        named = {key: groups[key] for key in (order or sorted(groups)) if key and groups[key]}
        rows = [_make_row(key, group) for key, group in named.items()]
        if title == "class":
            rows.append(_make_row("all", judgements))
        head = ("", "score", "interval", "replies", "graded", *STATUSES)
        tables.append(TextTable(f"{name}, by {title}", head, tuple(rows)))
    return tables


def _make_row(name: str, judgements: Sequence["Judgement"]) -> tuple[str, ...]:
    from personamem.dataset_builder.families.personamem.results.statistics import measure_share

    share = measure_share([_as_answer(each) for each in judgements if each.score is not None])
    counts = Counter[str](judgement.status for judgement in judgements)
    interval = f"{share.low:.3f}-{share.high:.3f}" if share.total else "-"
    return (
        name.replace("_", " "),
        format_share(share.value),
        interval,
        f"{len(judgements):,}",
        f"{share.total:,}",
        *(f"{counts[status]:,}" for status in STATUSES),
    )


def _as_answer(judgement: "Judgement") -> Any:
    from personamem.dataset_builder.families.personamem.results.records import Answer

    reply = judgement.reply
    return Answer(
        question_id=reply.question_id,
        persona=reply.persona,
        quad="",
        question_type=reply.pref_type,
        level="",
        updates=None,
        sessions=None,
        distractors=None,
        distance=None,
        score=judgement.score or 0.0,
        role="",
    )


def _describe(judgement: "Judgement") -> dict[str, Any]:
    return {
        **asdict(judgement.reply),
        "status": judgement.status,
        "score": judgement.score,
        "verdict": judgement.verdict,
    }


def _print_plan(
    runs: Sequence["OpenRun"],
    judge: "Judge",
    prices: "Prices | None",
    store: "AnswerStore | None",
) -> None:
    from personamem.dataset_builder.llm import FREE, estimate
    from personamem.dataset_builder.llm.showing import print_plan

    print_plan(estimate(judge.iterate_requests(runs), prices or FREE, store), prices, "verdict")
