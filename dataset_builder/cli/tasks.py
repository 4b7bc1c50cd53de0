"""``personamem link-tasks`` and ``personamem tasks-path``: where lm-eval finds the tasks."""

from typing import Annotated

import typer

from personamem.dataset_builder.core.console import output


def link_tasks(
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the links that this command made.")
    ] = False,
) -> None:
    """Link the tasks into lm-eval, so that plain lm_eval --tasks personamem_32k works.

    Makes a folder personamem of links in the tasks folder of the installed lm-eval; run again, it
    brings the links up to date. personamem eval needs no links.

    Example: personamem link-tasks
    """
    from personamem.tasks import linking

    if remove:
        made_folders = linking.find_made_folders()
        if not made_folders:
            output().print("No links to remove.")
        for made in made_folders:
            output().print(f"{linking.unlink_tasks(made)} links removed from {made}")
        return
    folder = linking.find_links_folder()
    output().print(f"{linking.link_tasks(folder)} links in {folder}")


def tasks_path() -> None:
    """Print the folder of the tasks, for lm-eval's --include_path.

    Example: lm_eval ls tasks --include_path "$(personamem tasks-path)"
    """
    from personamem.tasks.registry import TASKS_FOLDER

    typer.echo(TASKS_FOLDER)
