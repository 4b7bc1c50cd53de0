"""The application behind the command ``personamem``: its commands, and errors as exit codes.

Exit codes: 0 done; 1 the work failed or a check did; 2 the input cannot be used.
"""

import os
import sys
from concurrent.futures import BrokenExecutor
from importlib import import_module
from typing import Annotated

import typer
from rich.text import Text

from personamem import __version__
from personamem.dataset_builder.cli.audit import audit
from personamem.dataset_builder.cli.build import build
from personamem.dataset_builder.cli.diff import diff
from personamem.dataset_builder.cli.doctor import doctor
from personamem.dataset_builder.cli.evaluate import evaluate
from personamem.dataset_builder.cli.family_options import add_family_options
from personamem.dataset_builder.cli.inspect import info, show
from personamem.dataset_builder.cli.page import page
from personamem.dataset_builder.cli.publish import publish
from personamem.dataset_builder.cli.report import report
from personamem.dataset_builder.cli.tasks import link_tasks, tasks_path
from personamem.dataset_builder.core.console import errors
from personamem.dataset_builder.families.registry import list_families
from personamem.loaders.formats.errors import DatasetError, InvalidInputError, PersonamemError


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit()


app = typer.Typer(
    name="personamem",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    help="""Build, inspect and evaluate benchmarks of personal memory.

A first dataset and a first score:

    personamem build --size 4k --personas 8 --out data

    personamem show data --split 4k

    personamem eval data --split 4k --model hf --model_args pretrained=MODEL
""",
)


@app.callback()
def _read_common_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_print_version, help="Print the version and end."
        ),
    ] = False,
) -> None:
    """Take the options that come before a command; the text of --help is that of ``app``."""


app.command()(add_family_options(build))
app.command()(info)
app.command()(show)
app.command()(audit)
app.command()(diff)
app.command()(publish)
app.command()(report)
app.command()(page)
app.command()(doctor)
for _family in list_families():
    for _name, _place in _family.commands.items():
        _module, _, _function = _place.partition(":")
        app.command(_name)(getattr(import_module(_module), _function))
# lm-eval's parser reads the words of this command, with all of its flags, --help among them.
app.command(
    "eval",
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)(evaluate)
app.command("link-tasks")(link_tasks)
app.command("tasks-path")(tasks_path)


def main() -> None:
    """Run the command line and exit with 0, 1 or 2."""
    try:
        app()
    except (InvalidInputError, DatasetError) as error:
        _print_error("error:", error)
        sys.exit(2)
    except BrokenPipeError:
        # The reader has closed the pipe (`personamem show ... | head`); the interpreter would
        # complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except (PersonamemError, BrokenExecutor, OSError) as error:
        _print_error("failed:", error)
        sys.exit(1)
    except KeyboardInterrupt:
        errors().print("interrupted")
        sys.exit(1)


def _print_error(word: str, error: Exception) -> None:
    """Print an error whose text may hold anything, also what looks like markup."""
    errors().print(Text.assemble((word, "bold red"), " ", str(error)), soft_wrap=True)
