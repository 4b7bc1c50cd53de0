"""``personamem report``: results on open questions side by side, as tables and as a page."""

from pathlib import Path
from typing import Annotated

import typer

from personamem.dataset_builder.core.console import errors, output
from personamem.dataset_builder.core.whole_files import prepare_file, write_whole


def report(
    results: Annotated[
        list[Path],
        typer.Argument(
            help="Folders of lm-eval's or personamem eval's --output_path, result files in them, "
            "and files of personamem retrieve --json.",
            show_default=False,
        ),
    ],
    html_file: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with plots to this file.")
    ] = None,
) -> None:
    """Put results on open questions (tasks personabench_...) side by side.

    A system is a model with what it was shown: all documents, the gold sessions, those that a
    retriever found, or none. Tables give recall and F1 per category and noise level, the radar its
    six axes, and z-scores over systems where there are several. The page draws recall and F1
    against noise, and the radar. Of several runs of a system at a noise level the last one counts.

    Example: personamem report results --html report.html
    """
    from personamem.dataset_builder.families.personabench.results.page import render_page
    from personamem.dataset_builder.families.personabench.results.reading import read_results
    from personamem.dataset_builder.families.personabench.results.tables import (
        make_tables,
        show_table,
    )

    prepare_file(html_file)
    found = read_results(results)
    for table in make_tables(found):
        output().print(show_table(table))
        output().print()
    if html_file:
        write_whole(html_file, render_page(found))
        errors().print(f"The page is {html_file}.", soft_wrap=True)
