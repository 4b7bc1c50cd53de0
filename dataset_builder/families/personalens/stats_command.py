"""``personamem stats``: figures of a set of users, and contradictions in their profiles."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from personamem.dataset_builder.core.console import output, plain
from personamem.dataset_builder.reports.tables import show_table

SAMPLES = 100
"""As many as the paper's measures take."""


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
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Print the figures of a PersonaLens dataset: users, tasks, evenness, diversity.

    Figures are those of the paper (arXiv 2506.09902): scenarios and interests by domain, evenness
    and distinct values of each preference type, demographics, situations, list lengths, and
    Dist-1, Dist-2, Ent-4 and Self-BLEU.

    Example: personamem stats data --check
    """
    from personamem.dataset_builder.families.personalens.dialogue_files import read_dialogues
    from personamem.dataset_builder.families.personalens.rules import check_profiles
    from personamem.dataset_builder.families.personalens.stats_tables import (
        make_tables,
        replace_nan,
    )
    from personamem.loaders.personalens import load_personalens
    from personamem.loaders.personalens.diversity import measure_diversity
    from personamem.loaders.personalens.statistics import measure_statistics

    data = load_personalens(source, sample)
    texts = (
        [history.text for profile in data.profiles for history in profile.histories]
        if dialogues is None
        else read_dialogues(dialogues)
    )
    statistics = measure_statistics(data)
    diversity = measure_diversity(texts, samples=draws)
    flags = check_profiles(data.profiles) if check else []
    if as_json:
        content: dict[str, Any] = {**asdict(statistics), "diversity": asdict(diversity)}
        if check:
            content["contradictions"] = [asdict(flag) for flag in flags]
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
    if flags:
        raise typer.Exit(1)
