"""``personamem lens``: dialogues of PersonaLens held and graded, by inspect-ai."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.reports.tables import TextTable, show_table
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.formats.whole_files import prepare_file, write_whole
from personamem.loaders.personalens import OFFICIAL_SOURCE
from personamem.loaders.personalens.schema import TaskKind

if TYPE_CHECKING:
    from personamem.dataset_builder.families.personalens.lens_plan import LensPlan
    from personamem.dataset_builder.llm import Prices
    from personamem.tasks.personalens.dialogues.scenes import SampleChoice


def lens(
    source: Annotated[
        str, typer.Argument(help="Folder or Hub id of users, ours or the official release.")
    ] = OFFICIAL_SOURCE,
    model: Annotated[
        str, typer.Option(help="The assistant, as inspect names models: openai/NAME, hf/NAME ...")
    ] = "",
    user: Annotated[str, typer.Option(help="The model that plays the user.")] = "",
    judge: Annotated[
        list[str] | None, typer.Option(help="A model that grades; repeat it for several.")
    ] = None,
    base_url: Annotated[
        str,
        typer.Option(
            help="Address of an OpenAI-compatible server that has all models, under their plain "
            "names; the key is read from OPENAI_API_KEY."
        ),
    ] = "",
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="What the assistant is told: vanilla, base, d, i, s, di, ds, is, all; repeatable. "
            "[default: base]"
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(help="SD (tasks of one domain) or MD; repeatable. [default: SD]"),
    ] = None,
    sample: Annotated[
        str,
        typer.Option(help='Users: 20, 30, 50, 100, "all", or ids with commas. [default: 50]'),
    ] = "",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only so many dialogues of each kind and setting.")
    ] = None,
    max_pairs: Annotated[
        int | None, typer.Option(min=1, help="The most pairs of messages. [default: 20, MD 30]")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="The most tokens of a reply. [default: 800, of a judge 4000]"),
    ] = None,
    turn_level: Annotated[
        bool, typer.Option("--turn-level", help="Also grade personalization after each reply.")
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Dialogues at a time.")] = 64,
    retries: Annotated[int, typer.Option(min=0, help="Of a request that fails.")] = 5,
    timeout: Annotated[int, typer.Option(min=1, help="Seconds for a request and retries.")] = 600,
    out: Annotated[
        Path, typer.Option(help="Folder for logs and replies; the same one continues a run.")
    ] = Path("lens"),
    plan: Annotated[
        bool, typer.Option("--plan", help="Print calls, tokens and price; send nothing.")
    ] = False,
    price: Annotated[
        list[str] | None,
        typer.Option(
            help="For --plan: ROLE=INPUT/OUTPUT a million tokens, of assistant, user or "
            "judge; repeatable."
        ),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the plan, or all figures, to this file.")
    ] = None,
) -> None:
    """Hold dialogues between an assistant and a simulated user, and have them graded.

    A front over inspect-ai, whose tasks personamem/personalens_sd and _md it runs under each
    setting. Every reply is stored as it comes: after a crash the same command goes on where it was.

    Example: personamem lens my-users --model openai/A --user openai/B --judge openai/B --plan
    """
    from personamem.dataset_builder.families.personalens.requirement import require_inspect

    require_inspect()
    from personamem.dataset_builder.families.personalens.lens_plan import (
        plan_task,
        read_role_prices,
    )
    from personamem.tasks.personalens.dialogues.scenes import choose_scenarios
    from personamem.tasks.personalens.dialogues.settings import SETTINGS

    prepare_file(json_file)
    settings, kinds = list(dict.fromkeys(setting or ["base"])), _read_kinds(kind or ["SD"])
    for name in settings:
        if name not in SETTINGS:
            raise unknown_choice("setting", name, SETTINGS)
    users, judges = _read_sample(sample), judge or []
    prices = read_role_prices(price or ())
    if plan:
        data = choose_scenarios(source, users)
        plans = [
            plan_task(
                data,
                one,
                name,
                judges=max(1, len(judges)),
                turn_level=turn_level,
                limit=limit,
                max_pairs=max_pairs,
                max_tokens=max_tokens,
            )
            for one in kinds
            for name in settings
        ]
        _print_plan(plans, prices, json_file)
        return
    for option, value in (("--model", model), ("--user", user), ("--judge", judges)):
        if not value:
            raise InvalidInputError(f"{option} is required unless --plan is given.")
    from personamem.dataset_builder.families.personalens.lens_run import LensJob, hold_dialogues

    job = LensJob(
        source=source,
        sample=users,
        kinds=kinds,
        settings=settings,
        model=model,
        user=user,
        judges=judges,
        base_url=base_url,
        turn_level=turn_level,
        max_pairs=max_pairs,
        max_tokens=max_tokens,
        limit=limit,
        concurrency=concurrency,
        retries=retries,
        timeout=timeout,
        folder=out,
    )
    logs = hold_dialogues(job)
    _print_results(out, json_file)
    if any(log.status != "success" for log in logs):
        errors().print(
            "Some dialogues failed; the same command holds those again, and no other.",
            soft_wrap=True,
        )
        raise typer.Exit(1)


def _read_kinds(names: Sequence[str]) -> list[TaskKind]:
    kinds: dict[str, TaskKind] = {"SD": "SD", "MD": "MD"}
    for name in names:
        if name.upper() not in kinds:
            raise unknown_choice("kind", name, kinds)
    return list(dict.fromkeys(kinds[name.upper()] for name in names))


def _read_sample(text: str) -> "SampleChoice":
    if text in ("", "all"):
        return text or None
    return int(text) if text.isdigit() else [name.strip() for name in text.split(",")]


def _print_plan(
    plans: Sequence["LensPlan"], prices: "dict[str, Prices]", json_file: Path | None
) -> None:
    from personamem.dataset_builder.families.personalens.lens_plan import describe_plans

    rows = [
        (
            f"{each.kind} {each.setting}, {role}",
            f"{each.dialogues:,}",
            *(
                f"{value:,.0f}"
                for value in (
                    *(usage.calls, usage.prompt_tokens, usage.reply_tokens),
                    *(usage.most_calls, usage.most_prompt_tokens, usage.most_reply_tokens),
                )
            ),
        )
        for each in plans
        for role, usage in each.roles.items()
    ]
    head = ("", "dialogues", "calls", "tokens read", "written")
    most = ("calls at most", "tokens read at most", "written at most")
    note = (
        "Expected: dialogues as long as the published ones (4.74 pairs of messages, of several "
        "domains 5.64; 150 tokens a pair). Tokens are of o200k_base."
    )
    output().print(show_table(TextTable("Plan", (*head, *most), tuple(rows), note)))
    described = describe_plans(plans, prices)
    if prices:
        found = described["price"]
        output().print(f"price: {found['expected']:,.2f}, at most {found['at_most']:,.2f}")
    if json_file:
        write_whole(json_file, json.dumps(described, indent=2) + "\n")


def _print_results(folder: Path, json_file: Path | None) -> None:
    from personamem.dataset_builder.families.personalens.results.reading import read_runs
    from personamem.dataset_builder.families.personalens.results.report import describe_runs

    report = describe_runs(read_runs([folder / "logs"]))
    for table in report.tables:
        output().print(show_table(table))
        output().print()
    if json_file:
        write_whole(json_file, json.dumps(report.data, indent=2, ensure_ascii=False) + "\n")
