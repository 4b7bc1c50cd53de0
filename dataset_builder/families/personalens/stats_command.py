"""``personamem stats``: figures of a set of users, and contradictions in their profiles."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from personamem.dataset_builder.core.console import output, plain
from personamem.dataset_builder.reports.tables import show_table
from personamem.loaders.formats.errors import InvalidInputError

SAMPLES = 100
"""As many as the paper's measures take."""

STORE = "profile-opinions.sqlite"


def stats(
    source: Annotated[
        str,
        typer.Argument(help="Folder or Hub id of a PersonaLens dataset, ours or the official one."),
    ],
    sample: Annotated[
        int | None,
        typer.Option(help="Only so many users: 20, 30, 50 or 100, each part of the next."),
    ] = None,
    dialogues: Annotated[
        Path | None,
        typer.Option(
            help="Folder of dialogues as the official script writes them, for the measures of "
            "diversity. [default: measure histories]"
        ),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(min=0, help="Samples over which diversity is averaged; 0 leaves it out."),
    ] = SAMPLES,
    check: Annotated[
        bool,
        typer.Option("--check", help="List contradictions in profiles; exit with 1 if there are."),
    ] = False,
    checker_model: Annotated[
        str, typer.Option(help="With --check: a model that checks each profile, after the rules.")
    ] = "",
    base_url: Annotated[
        str | None,
        typer.Option(
            help="Address of an OpenAI-compatible server with that model, mostly ending in /v1; "
            "the key is read from OPENAI_API_KEY. Without it, the store alone answers."
        ),
    ] = None,
    store_file: Annotated[
        Path, typer.Option("--store", help="File that keeps what the model says.")
    ] = Path(STORE),
    concurrency: Annotated[int, typer.Option(min=1, help="Requests at a time.")] = 16,
    max_tokens: Annotated[int, typer.Option(min=1, help="Room for a reply, in tokens.")] = 1024,
    price_input: Annotated[
        float | None, typer.Option(help="Price of a million input tokens.")
    ] = None,
    price_output: Annotated[float | None, typer.Option(help="Of output tokens.")] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Print the model's calls, tokens and price; no more.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print the figures of a PersonaLens dataset: users, tasks, evenness, diversity.

    Figures are those of the paper (arXiv 2506.09902): scenarios and interests by domain, evenness
    and distinct values of each preference type, demographics, situations, list lengths, and
    Dist-1, Dist-2, Ent-4 and Self-BLEU.

    With --checker-model, a model looks for conflicts that no rule knows. What it flags is listed
    with its reason, for people to read, and changes no exit code; replies that cannot be read are
    counted apart.

    Example: personamem stats data --check
    """
    from personamem.dataset_builder.families.personalens.checker.checking import (
        Checker,
        Opinion,
        count_opinions,
    )
    from personamem.dataset_builder.families.personalens.checker.command import (
        Asking,
        ask,
        plan_asking,
        tabulate_opinions,
    )
    from personamem.dataset_builder.families.personalens.dialogue_files import read_dialogues
    from personamem.dataset_builder.families.personalens.rules import check_profiles
    from personamem.dataset_builder.families.personalens.stats_tables import (
        make_tables,
        replace_nan,
    )
    from personamem.dataset_builder.llm import read_prices
    from personamem.loaders.personalens import load_personalens
    from personamem.loaders.personalens.diversity import measure_diversity
    from personamem.loaders.personalens.statistics import measure_statistics

    if not (check and checker_model) and (checker_model or base_url or plan):
        raise InvalidInputError(
            "--checker-model, --base-url and --plan ask a model to check profiles. Accepted: with "
            "--check and --checker-model NAME."
        )
    prices = read_prices(price_input, None, price_output)
    data = load_personalens(source, sample)
    asking = Asking(Checker(checker_model, max_tokens), base_url, store_file, concurrency, prices)
    if plan:
        plan_asking(data.profiles, asking)
        return
    texts = (
        [history.text for profile in data.profiles for history in profile.histories]
        if dialogues is None
        else read_dialogues(dialogues)
    )
    statistics = measure_statistics(data)
    diversity = measure_diversity(texts, samples=draws)
    flags = check_profiles(data.profiles) if check else []
    opinions: list[Opinion] = ask(data.profiles, asking) if checker_model else []
    if as_json:
        content: dict[str, Any] = {**asdict(statistics), "diversity": asdict(diversity)}
        if check:
            content["contradictions"] = [asdict(flag) for flag in flags]
        if checker_model:
            content["checker"] = {
                "model": checker_model,
                **count_opinions(opinions),
                "opinions": [asdict(opinion) for opinion in opinions],
            }
        print(json.dumps(replace_nan(content), indent=2, ensure_ascii=False))
    else:
        what = "histories" if dialogues is None else "dialogues"
        for table in make_tables(statistics, diversity, what):
            output().print(show_table(table))
        for flag in flags:
            output().print(plain(f"{flag.user_id}, {flag.rule}: {flag.reason}"), soft_wrap=True)
        if check:
            users = len({flag.user_id for flag in flags})
            output().print(f"{len(flags):,} contradictions in {users:,} profiles")
        if checker_model:
            by_rules = {flag.user_id for flag in flags}
            output().print(show_table(tabulate_opinions(checker_model, opinions, by_rules)))
        for opinion in opinions:
            if opinion.status == "flagged":
                line = f"{opinion.user_id}, by {checker_model}: {opinion.reason or 'no reason'}"
                output().print(plain(line), soft_wrap=True)
    if flags:
        raise typer.Exit(1)
