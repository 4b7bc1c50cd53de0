"""``personamem lens-report``: what dialogues of PersonaLens scored, from the logs of inspect-ai."""

import json
from pathlib import Path
from typing import Annotated

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.reports.tables import join_csv, show_table
from personamem.loaders.formats.whole_files import prepare_file, write_whole


def lens_report(
    logs: Annotated[
        list[Path],
        typer.Argument(
            help="Logs of the tasks personalens_sd and personalens_md, or folders with them.",
            show_default=False,
        ),
    ],
    annotations: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of people's verdicts, for kappas: dialogue, setting, rater, dimension, "
            "value, and model where logs are of several."
        ),
    ] = None,
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Also write a page to this file.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all figures to this file.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", help="Also write the tables to this file.")
    ] = None,
) -> None:
    """Sum up dialogues: scores with intervals, domains, ends, settings compared, agreement.

    Figures of the paper stand beside ours. Verdicts that cannot be read and dialogues that failed
    are counted apart.

    Example: personamem lens-report logs --html report.html
    """
    from personamem.dataset_builder.families.personalens.requirement import require_inspect

    require_inspect()
    from personamem.dataset_builder.families.personalens.results.agreement import read_annotations
    from personamem.dataset_builder.families.personalens.results.reading import read_runs
    from personamem.dataset_builder.families.personalens.results.report import describe_runs
    from personamem.dataset_builder.reports.results import render_results

    for path in (html_file, json_file, csv_file):
        prepare_file(path)
    report = describe_runs(read_runs(logs), read_annotations(annotations) if annotations else ())
    for table in report.tables:
        output().print(show_table(table))
        output().print()
    output().print(report.note)
    if html_file:
        write_whole(html_file, render_results([report]))
        errors().print(f"The page is {html_file}.", soft_wrap=True)
    if json_file:
        write_whole(json_file, json.dumps(report.data, indent=2, ensure_ascii=False) + "\n")
    if csv_file:
        write_whole(csv_file, join_csv(report.tables))
