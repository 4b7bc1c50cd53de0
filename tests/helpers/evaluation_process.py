"""An lm-eval run of our models as a process of its own that starts fast and can be killed."""

import subprocess
from pathlib import Path

from preloaded_programs import find_programs


def start_evaluation(arguments: list[str], log: Path) -> "subprocess.Popen[bytes]":
    """Start ``lm_eval run ARGUMENTS``; what it prints goes to ``log``."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [find_programs() / "lm_eval", "run", *arguments], stdout=output, stderr=output
        )


def run_evaluation(*arguments: object, log: Path) -> str:
    """Run ``lm_eval run ARGUMENTS`` to its end and return what it printed; it must not fail."""
    with start_evaluation([str(argument) for argument in arguments], log) as process:
        code = process.wait(500)
    printed = log.read_text("utf-8")
    assert code == 0, printed
    return printed
