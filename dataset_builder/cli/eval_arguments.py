"""The arguments of ``personamem eval``: lm-eval's own, all of them, and a few more.

lm-eval's parser is taken as it is and ours are added to it, so that a flag of lm-eval's is known by
being there, with its short form, its values and its help.
"""

import argparse
import logging
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn

from personamem.dataset_builder.llm.cost import Prices, read_prices
from personamem.loaders.formats.errors import InvalidInputError, suggest_choice, unknown_choice
from personamem.tasks.registry import find_family, list_task_families

RANKING = "ll"
"""The mode that ranks letters by log-likelihood."""

PLAIN_MODELS = ("dummy", "local-completions", "openai-completions")
"""Models that get plain text unless --apply_chat_template is given."""

_USAGE = "personamem eval [SOURCE] (--split SPLIT | --tasks TASK ...) [--model MODEL] [options]"
_DESCRIPTION = """\
Score a model with lm-eval. All options of lm-eval work; those of personamem come last in this list.

What is evaluated: either SOURCE --split SPLIT, with the tasks that belong to it (FAMILY_SPLIT, such
as personamem_32k, and FAMILY_SPLIT_CONDITION for each --condition), or --tasks as lm-eval names
them, with the dataset from SOURCE, --metadata '{"dataset": ...}' or the variable
PERSONAMEM_DATASET, else (of sizes) the official release. Chat models get real multi-turn
messages (--apply_chat_template is on, but for dummy and the completions APIs).

Prompts are made when they are due, so memory stays small, and samples (--log_samples) name context
and end index in place of the text: "personamem show SOURCE --samples FILE" joins them again. With
--output_path every answer is kept as it comes, until the results are written: after a crash or a
kill, the same command goes on where it was.
"""
_EPILOG = """\
Example: personamem eval data --split 4k --model hf --model_args pretrained=MODEL --limit 32
Example: personamem eval data --tasks personamem_1M --model hf-shared --model_args pretrained=MODEL --plan
"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was asked for: ``arguments`` is lm-eval's namespace, ``config`` its reading of it."""

    arguments: argparse.Namespace
    config: Any
    tasks: tuple[str, ...]
    metadata: dict[str, Any]
    plan: bool
    prices: Prices | None
    json_file: Path | None


def parse_evaluation(words: Sequence[str]) -> Evaluation:
    """Read a command line; ``--help`` prints and exits.

    Raises:
        InvalidInputError: an unknown flag or value, or a combination that makes no sense.
    """
    arguments = _make_parser().parse_args(words)
    extra = {name: vars(arguments).pop(name) for name in _OURS}
    config = _read_config(arguments)
    arguments.tasks = config.tasks or None
    _choose_tasks(arguments, extra)
    _choose_template(arguments, config, extra["no_chat_template"])
    metadata = _merge_source(extra["source"], arguments, config)
    arguments.metadata = metadata
    prices = read_prices(*(extra[f"price_{name}"] for name in ("input", "cached", "output")))
    if prices and not extra["plan"]:
        raise InvalidInputError("Prices are for --plan, which is not given.")
    if extra["json"] and not extra["plan"]:
        raise InvalidInputError(
            "--json is for --plan, which is not given. Results go to --output_path; personamem "
            "report --json writes their figures."
        )
    if config.limit is not None and config.limit <= 0:
        raise InvalidInputError(
            f"--limit is {config.limit:g}. Accepted: a number of questions, or a share below 1."
        )
    return Evaluation(
        arguments,
        config,
        tuple(arguments.tasks),
        config.metadata | metadata,
        extra["plan"],
        prices,
        extra["json"],
    )


class _Parser(argparse.ArgumentParser):
    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, unknown = self.parse_known_args(args, namespace)
        if unknown:
            near = suggest_choice(unknown[0].partition("=")[0], self._option_string_actions)
            self.error(f"unrecognized arguments: {' '.join(unknown)}.{near}")
        return found

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith(("?", ".")) else "."
        raise InvalidInputError(f"{message}{end} See personamem eval --help.")


_OURS = (
    *("source", "split", "condition", "loglikelihood", "no_chat_template", "plan"),
    *("price_input", "price_cached", "price_output", "json"),
)


def _make_parser() -> argparse.ArgumentParser:
    from personamem.tasks.models.lm_eval_compat import add_run_parser

    parser = add_run_parser(_Parser().add_subparsers())
    parser.prog, parser.usage = "personamem eval", _USAGE
    parser.description, parser.epilog = _DESCRIPTION, _EPILOG
    group = parser.add_argument_group("personamem")
    group.add_argument(
        "source", nargs="?", metavar="SOURCE", help="Folder or Hub id[@revision] of a dataset"
    )
    group.add_argument(
        "--split",
        action="append",
        metavar="<split>",
        help="Size such as 32k, or noise level such as noise_05; repeatable",
    )
    group.add_argument(
        "--condition",
        action="append",
        metavar="<name>",
        help="Control to run as well, repeatable: nocontext, oracle, rag",
    )
    group.add_argument(
        "--loglikelihood",
        action="store_true",
        help="Rank the letters by log-likelihood instead of generating one",
    )
    group.add_argument(
        "--no_chat_template", action="store_true", help="Plain text, for models that do not chat"
    )
    group.add_argument(
        "--plan",
        action="store_true",
        help="Print contexts, questions, tokens, memory and cost, and run nothing",
    )
    group.add_argument(
        "--json", type=Path, metavar="<file>", help="With --plan: also write it to this file"
    )
    for name, what in (
        ("input", "With --plan: price of a million input tokens"),
        ("cached", "Of cached input tokens (default: as input)"),
        ("output", "Of output tokens"),
    ):
        group.add_argument(
            f"--price-{name}", f"--price_{name}", type=float, metavar="<price>", help=what
        )
    return parser


def _read_config(arguments: argparse.Namespace) -> Any:
    from lm_eval.config.evaluate_config import EvaluatorConfig

    # lm-eval reads the arguments again when it runs, and says then what it has to say.
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(StringIO()):
            return EvaluatorConfig.from_cli(arguments)
    except (ValueError, TypeError, FileNotFoundError) as error:
        raise InvalidInputError(f"{error}") from error
    finally:
        logging.disable(logging.NOTSET)


def _choose_tasks(arguments: argparse.Namespace, extra: dict[str, Any]) -> None:
    splits, conditions = extra["split"] or [], extra["condition"] or []
    if arguments.tasks and (splits or conditions or extra["loglikelihood"]):
        raise InvalidInputError(
            "--tasks names what to run by itself; --split, --condition and --loglikelihood choose "
            "tasks too. Accepted: one way or the other."
        )
    if isinstance(arguments.tasks, str):
        arguments.tasks = arguments.tasks.split(",")
    if splits:
        arguments.tasks = _name_tasks(splits, conditions, extra["loglikelihood"])
    if not arguments.tasks:
        raise InvalidInputError(
            "Nothing to evaluate. Accepted: --split SPLIT (such as 32k), or --tasks TASK (such as "
            "personamem_32k)."
        )
    known = [name for family in list_task_families() for name in family.list_names()]
    prefixes = tuple(family.name for family in list_task_families())
    for task in arguments.tasks:
        if task.startswith(prefixes) and task not in known and "*" not in task:
            raise unknown_choice("task", task, known)


def _name_tasks(splits: Sequence[str], conditions: Sequence[str], ranking: bool) -> list[str]:
    tasks = []
    for split in splits:
        family = find_family(split)
        mode = family.find_mode(RANKING if ranking else "")
        if mode is None:
            accepted = dict.fromkeys(
                name
                for each in list_task_families()
                if each.find_mode(RANKING)
                for name in each.splits
            )
            raise InvalidInputError(
                f"--loglikelihood ranks letters, and the questions of {split} are open. Accepted "
                f"with it: {', '.join(accepted)}."
            )
        for condition in conditions:
            if condition not in family.controls:
                raise unknown_choice(f"condition of {split}", condition, family.controls)
        tasks += [
            family.name_task(split, condition, mode)
            for condition in (family.conditions[0], *conditions)
        ]
    return tasks


def _choose_template(arguments: argparse.Namespace, config: Any, plain: bool) -> None:
    if plain and config.apply_chat_template:
        raise InvalidInputError("--no_chat_template and --apply_chat_template exclude each other.")
    if not plain and not config.apply_chat_template and config.model not in PLAIN_MODELS:
        arguments.apply_chat_template = True


def _merge_source(source: str | None, arguments: argparse.Namespace, config: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = dict(arguments.metadata or {})
    named = config.metadata.get("dataset")
    if source is not None and named is not None and str(named) != source:
        raise InvalidInputError(f"Two datasets: SOURCE {source!r} and --metadata {str(named)!r}.")
    dataset = source if source is not None else named
    if dataset is not None:
        path = Path(str(dataset)).expanduser()
        metadata["dataset"] = str(path.resolve()) if path.exists() else str(dataset)
    return metadata
