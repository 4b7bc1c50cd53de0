"""``personamem eval``: hand a dataset over to lm-eval with sane defaults."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from personamem.dataset_builder.errors import InvalidInputError, unknown_choice
from personamem.dataset_builder.schema import SIZES

CONDITIONS = ("nocontext", "oracle")


def evaluate(
    context: typer.Context,
    source: Annotated[
        str, typer.Argument(help="Folder of a dataset, or a Hub id, optionally with @revision.")
    ],
    split: Annotated[list[str], typer.Option(help="Split, repeatable, such as 32k.")],
    model: Annotated[
        str, typer.Option(help="lm-eval model type: hf, vllm, local-chat-completions, ...")
    ] = "hf",
    condition: Annotated[
        list[str] | None,
        typer.Option(help=f"Control to run beside, repeatable: {', '.join(CONDITIONS)}."),
    ] = None,
    loglikelihood: Annotated[
        bool, typer.Option(help="Rank the letters by log-likelihood instead of generating one.")
    ] = False,
) -> None:
    """Score a model with lm-eval. Every other option is lm-eval's own and is passed on.

    The tasks are personamem_SPLIT and, per --condition, personamem_SPLIT_CONDITION. Chat models get
    real multi-turn messages: --apply_chat_template is on, except for the model "dummy".

    Example: personamem eval data --split 4k --model hf --model_args pretrained=MODEL --limit 32
    """
    for name in split:
        if name not in SIZES:
            raise unknown_choice("split", name, SIZES)
    for name in condition or ():
        if name not in CONDITIONS:
            raise unknown_choice("condition", name, CONDITIONS)
    if "--tasks" in context.args or "--metadata" in context.args:
        raise InvalidInputError("--tasks and --metadata are set by personamem eval; see --help.")
    if Path(source).exists():
        source = str(Path(source).resolve())
    suffixes = ["", *(f"_{name}" for name in condition or ())]
    ending = "_ll" if loglikelihood else ""
    tasks = [f"personamem_{name}{suffix}{ending}" for name in split for suffix in suffixes]
    arguments = ["--model", model, "--tasks", ",".join(tasks)]
    arguments += ["--metadata", json.dumps({"dataset": source})]
    if model != "dummy" and "--apply_chat_template" not in context.args:
        arguments.append("--apply_chat_template")
    _run_lm_eval([*arguments, *_include_path(), *context.args])


def _run_lm_eval(arguments: list[str]) -> None:
    from lm_eval.__main__ import cli_evaluate

    sys.argv = ["lm_eval", "run", *arguments]
    cli_evaluate()


def _include_path() -> list[str]:
    """Return where the tasks are when lm-eval does not hold them (editable install)."""
    import lm_eval.tasks

    if (Path(lm_eval.tasks.__file__).parent / "personamem").is_dir():
        return []
    beside = Path(__file__).resolve().parents[2] / "tasks"
    return ["--include_path", str(beside)] if beside.is_dir() else []
