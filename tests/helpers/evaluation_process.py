"""An lm-eval run of our models as a process of its own that starts fast and can be killed."""

import os
import sys
from functools import partialmethod
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path

PRELOADED = ["lm_eval.__main__", "lm_eval.evaluator", "personamem.tasks.models.hf_shared"]


def start_evaluation(arguments: list[str], log: Path) -> ForkServerProcess:
    """Start ``lm_eval run ARGUMENTS``; what it prints goes to ``log``."""
    context = get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    process = context.Process(target=_evaluate, args=(arguments, log))
    process.start()
    return process


def run_evaluation(*arguments: object, log: Path) -> str:
    """Run ``lm_eval run ARGUMENTS`` to its end and return what it printed; it must not fail."""
    process = start_evaluation([str(argument) for argument in arguments], log)
    process.join(500)
    printed = log.read_text("utf-8")
    assert process.exitcode == 0, printed
    return printed


def _evaluate(arguments: list[str], log: Path) -> None:
    with log.open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    sys.argv = ["lm_eval", "run", *arguments]
    import lm_eval.models  # noqa: F401  # Not preloaded where the fork server ran before.
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.tasks import TaskManager

    # lm-eval's own tasks are thousands of files, and looked through at every start.
    TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)  # type: ignore[method-assign]
    from personamem.tasks.models import register_models

    register_models()
    cli_evaluate()
