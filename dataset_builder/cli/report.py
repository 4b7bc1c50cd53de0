"""``personamem report``: results of evaluations side by side, as tables, a page, JSON and CSV."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.families.evaluations import Evaluation, read_evaluations
from personamem.dataset_builder.families.registry import list_families
from personamem.dataset_builder.reports.eval_results import write_eval_results
from personamem.dataset_builder.reports.results import ResultsReport, render_results
from personamem.dataset_builder.reports.tables import join_csv, show_table
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.whole_files import prepare_file, write_whole


def report(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of lm-eval's or personamem eval's --output_path, result files in them, "
            "logs of inspect-ai (.eval) or folders of them, and files of personamem retrieve "
            "--json.",
            show_default=False,
        ),
    ],
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with plots to this file.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all figures to this file.")
    ] = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", help="Also write the tables to this file.")
    ] = None,
    eval_results: Annotated[
        Path | None,
        typer.Option(
            help="Also write .eval_results of each model to this folder, for its repository on "
            "the Hub."
        ),
    ] = None,
    dataset_id: Annotated[
        str,
        typer.Option(help="The Hub id, OWNER/NAME[@REVISION], of a dataset that was local."),
    ] = "",
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="Results to compare with; exit code 1 if a run is worse by more than chance."
        ),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Exit code 1 if a run scores less than this share."),
    ] = None,
) -> None:
    """Put results side by side.

    Multiple choice: the accuracy of each run with its interval, by question type and level of
    evidence, curves against distance, updates and the other dials, what wrong answers were, and
    paired differences. Open questions: recall and F1 per category and noise level, and the radar.
    Of several runs of a model on a task the last one counts.

    Example: personamem report results --html report.html
    """
    for path in (html_file, json_file, csv_file):
        prepare_file(path)
    evaluations = read_evaluations(results)
    compared = read_evaluations([baseline] if baseline else [])
    reports = [
        found
        for family in list_families()
        if (found := family.make_report(evaluations, compared)) is not None
    ]
    _refuse_unused(results, evaluations, reports)
    if baseline:
        _refuse_unmatched(baseline, reports)
    tables = [table for each in reports for table in each.tables]
    for table in tables:
        output().print(show_table(table))
        output().print()
    if html_file:
        write_whole(html_file, render_results(reports))
        errors().print(f"The page is {html_file}.", soft_wrap=True)
    if json_file:
        data = {each.title: each.data for each in reports}
        write_whole(json_file, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if csv_file:
        write_whole(csv_file, join_csv(tables))
    if eval_results:
        scores = [score for each in reports for score in each.model_scores]
        for path in write_eval_results(eval_results, scores, dataset_id):
            errors().print(f"Scores for the Hub are in {path}.", soft_wrap=True)
    if _tell_failures(reports, fail_under):
        raise typer.Exit(1)


def _refuse_unused(
    paths: Sequence[Path], evaluations: Sequence[Evaluation], reports: Sequence[ResultsReport]
) -> None:
    used = frozenset[Path]().union(*(each.used for each in reports))
    for path in paths:
        if path in used:
            continue
        tasks = sorted({task for each in evaluations if each.given == path for task in each.tasks})
        has = f", but of {', '.join(tasks)}" if tasks else ""
        known = " and ".join(f"{family.name}_..." for family in list_families())
        raise InvalidInputError(
            f"{path} holds no results of personamem{has}. Accepted: what lm-eval or personamem "
            f"eval wrote with --output_path and --log_samples for tasks {known}, inspect-ai's logs "
            "of them, and what personamem retrieve wrote with --json."
        )


def _refuse_unmatched(baseline: Path, reports: Sequence[ResultsReport]) -> None:
    """Refuse a run that nothing was compared with: it would pass whatever it scores."""
    compared = {label for each in reports for label in each.compared}
    lacking = [label for each in reports for label in each.scores if label not in compared]
    if lacking:
        raise InvalidInputError(
            f"{baseline} holds no answers to compare {', '.join(lacking)} with. Accepted: results "
            "with --log_samples of the same multiple-choice tasks on the same questions."
        )


def _tell_failures(reports: Sequence[ResultsReport], fail_under: float | None) -> bool:
    """Print which runs fail, and return whether one does."""
    failures = [f"{name} is worse than the baseline." for each in reports for name in each.worse]
    if fail_under is not None:
        failures += [
            f"{name} scores {score:.3f}, less than {fail_under:g}."
            for each in reports
            for name, score in each.scores.items()
            if not score >= fail_under
        ]
    for failure in failures:
        errors().print(failure, soft_wrap=True, markup=False)
    return bool(failures)
