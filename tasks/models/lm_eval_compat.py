"""The internals of lm-eval that this project relies on, in one place.

Each function does what lm-eval 0.4.13 has no public way to do. pyproject.toml bounds lm-eval from
above; where a version within the bounds has moved something, the error names it.
"""

import argparse
import inspect
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import version
from itertools import islice
from types import FrameType
from typing import Any

from personamem.loaders.formats.errors import PersonamemError

CALLERS = 16
"""Functions between lm-eval's ``evaluate`` and a task that it asks for requests: 2, and room."""


def add_run_parser(commands: Any) -> argparse.ArgumentParser:
    """Add lm-eval's command ``run`` to subparsers, and return its parser with all its options.

    lm-eval has a function that reads ``sys.argv``, but none that returns the parser.
    """
    _find("lm_eval._cli.run", "Run").create(commands)
    parser: argparse.ArgumentParser = commands.choices["run"]
    return parser


def replace_model(name: str, model: type[Any]) -> None:
    """Put a class into lm-eval's registry of models in place of the present one of that name.

    lm-eval's registry refuses another class for a name. Under a name of its own, the class would
    appear under that name in the results, where the model should be named as the user did.
    """
    _find("lm_eval.api.registry", "model_registry", "_objs")[name] = model


def find_evaluated_model(chat_template: Callable[..., Any] | None) -> Any:
    """Return the lm-eval model that is about to be evaluated, or None.

    lm-eval does not pass its model to a task. With a chat template the model is the object that the
    template is bound to. Without one a task gets numbers and texts only, so the model is read from
    the call of ``lm_eval.evaluator.evaluate`` that asks the task for its requests.
    """
    bound = getattr(chat_template, "__self__", None)
    return _find_model_of_evaluate() if bound is None else bound


def leave_out_builtin_tasks() -> AbstractContextManager[None]:
    """Have lm-eval index the tasks of its include paths alone, until the context ends.

    It would read the 13,000 files of its own tasks, for about ten seconds, to run tasks of ours.
    """
    module = _find("lm_eval.tasks")
    manager = _find("lm_eval.tasks", "TaskManager")

    class IncludedTasks(manager):  # type: ignore[misc, valid-type]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **{**options, "include_defaults": False})

    return _replace(module, "TaskManager", IncludedTasks)


@contextmanager
def _replace(module: Any, name: str, value: Any) -> Iterator[None]:
    present = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, present)


def silence_git() -> None:
    """Have lm-eval ask git for the commit of the current folder without git's complaints.

    lm-eval records the commit if there is one. Git prints "fatal: not a git repository" where there
    is none, into the middle of the results.
    """
    module, name = "lm_eval.evaluator", "get_git_commit_hash"
    _find(module, name)
    setattr(_find(module), name, _describe_commit)


def _describe_commit() -> str | None:
    if shutil.which("git") is None:
        return None
    asked = subprocess.run(
        ["git", "describe", "--always"], capture_output=True, text=True, check=False
    )
    return asked.stdout.strip() if asked.returncode == 0 else None


def _find_model_of_evaluate() -> Any:
    for frame in islice(_list_callers(inspect.currentframe()), CALLERS):
        module = frame.f_globals.get("__name__")
        if (module, frame.f_code.co_name) == ("lm_eval.evaluator", "evaluate"):
            return _take(frame.f_locals.__getitem__, "lm", "lm_eval.evaluator.evaluate")
    return None


def _list_callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _find(module: str, *names: str) -> Any:
    found = _take(import_module, module)
    for name in names:
        found = _take(partial(getattr, found), name, module)
    return found


def _take(find: Callable[[str], Any], name: str, owner: str = "") -> Any:
    try:
        return find(name)
    except (ImportError, AttributeError, KeyError) as error:
        raise PersonamemError(
            f"lm-eval {version('lm_eval')} has no {name}{owner and f' in {owner}'}, which "
            "personamem needs. Accepted: lm-eval 0.4.13, or a newer personamem."
        ) from error
