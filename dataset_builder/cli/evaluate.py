"""``personamem eval``: hand a dataset over to lm-eval, with prompts made on demand."""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import typer

from personamem.dataset_builder.core.console import output
from personamem.loaders.formats.errors import PersonamemError


def evaluate(context: typer.Context) -> None:
    """Score a model with lm-eval; all of its options work. See personamem eval --help.

    Example: personamem eval data --split 4k --model hf --model_args pretrained=MODEL --limit 32
    """
    # Here and below: lm-eval takes long to import, and no other command needs it.
    from personamem.dataset_builder.cli.eval_arguments import parse_evaluation

    evaluation = parse_evaluation(context.args)
    if evaluation.plan:
        from personamem.dataset_builder.cli.plan_report import print_plan

        print_plan(evaluation)
        return
    arguments, config = evaluation.arguments, evaluation.config
    with (
        included_tasks(arguments, evaluation.tasks),
        _wrapped_model(config.model, config.model_args) as identity,
    ):
        if config.output_path and not config.use_cache:
            from personamem.dataset_builder.cli.resume import keep_answers

            with keep_answers(config.output_path, identity) as answers:
                arguments.use_cache = answers
                _run_lm_eval(arguments)
        else:
            _run_lm_eval(arguments)


def included_tasks(arguments: Any, tasks: Sequence[str]) -> AbstractContextManager[None]:
    """Show lm-eval the tasks, in a context that is for its run.

    Where all are ours, lm-eval's own are not read. Where it has links to ours, it would find them
    twice, of which it warns.
    """
    from personamem.tasks.linking import are_linked, find_links_folder
    from personamem.tasks.models.lm_eval_compat import leave_out_builtin_tasks
    from personamem.tasks.registry import TASKS_FOLDER, list_task_families

    ours = {name for family in list_task_families() for name in family.list_names()}
    given = [arguments.include_path] if arguments.include_path else []
    alone = not given and ours.issuperset(tasks)
    if alone or not are_linked(find_links_folder()):
        arguments.include_path = [str(TASKS_FOLDER), *given]
    return leave_out_builtin_tasks() if alone else nullcontext()


@contextmanager
def _wrapped_model(name: str, model_args: dict[str, Any]) -> Iterator[str]:
    """Put the model into lm-eval's registry as we need it; yield its identity."""
    from personamem.tasks.models.wrapping import identify_model, wrap_model

    identity = identify_model(name, model_args)
    model = wrap_model(name, identity)
    try:
        yield identity
    finally:
        if model.usage.replies:
            output().print(model.usage.describe())


def _run_lm_eval(arguments: Any) -> None:
    from lm_eval.utils import setup_logging

    from personamem.tasks.models.lm_eval_compat import silence_git

    silence_git()
    setup_logging()
    # Of an error that it raises, it logs two stacks before.
    logging.getLogger("sqlitedict").setLevel(logging.CRITICAL)
    try:
        arguments.func(arguments)
    except sqlite3.OperationalError as error:
        raise PersonamemError(
            f"{arguments.use_cache}: an answer cannot be written: {error}. Make room on the disk "
            "and run the same command again."
        ) from error
