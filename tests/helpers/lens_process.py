"""Runs of dialogues in processes that can be killed; all fork from one that has imported."""

import multiprocessing
import os
import signal
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

_CONTEXT = multiprocessing.get_context("forkserver")
_PRELOADED = ["lens_preload", "lens_process"]


def start_lens(log: Path, **values: Any) -> ForkServerProcess:
    """Start ``hold_dialogues`` with the values of a job; its output goes to ``log``."""
    _CONTEXT.set_forkserver_preload(_PRELOADED)
    process = _CONTEXT.Process(target=hold, args=(log, values))
    process.start()
    return process


def run_lens(log: Path, **values: Any) -> int:
    """Run it to its end and return the exit code."""
    process = start_lens(log, **values)
    process.join()
    return process.exitcode


def kill_lens(process: ForkServerProcess) -> None:
    """Kill a run, as a power cut would."""
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def wait_for(reached: Any, process: ForkServerProcess) -> bool:
    """Wait until ``reached`` or until the process ends; return whether it goes on."""
    while not reached():
        if process.exitcode is not None:
            return False
        time.sleep(0.02)
    return True


def make_job(source: Path, folder: Path, url: str, **values: Any) -> dict[str, Any]:
    """Return the values of a job on a server that plays all roles."""
    return {
        "source": str(source),
        "sample": "all",
        "kinds": ("SD", "MD"),
        "settings": ("base",),
        "model": "assistant",
        "user": "user",
        "judges": ("judge",),
        "base_url": url,
        "turn_level": False,
        "max_pairs": None,
        "max_tokens": None,
        "limit": None,
        "concurrency": 16,
        "retries": 0,
        "timeout": 20,
        "folder": folder,
        **values,
    }


def hold(log: Path, values: dict[str, Any]) -> None:
    from personamem.dataset_builder.families.personalens.lens_run import LensJob, hold_dialogues

    for number in (1, 2):
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    logs = hold_dialogues(LensJob(**values))
    os._exit(0 if all(each.status == "success" for each in logs) else 1)
