"""Runs of dialogues in processes of their own, which can be killed."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from preloaded_programs import find_programs

Process = subprocess.Popen[bytes]


def start_lens(log: Path, **values: Any) -> Process:
    """Start ``hold_dialogues`` with the values of a job; its output goes to ``log``."""
    words = [find_programs() / "hold_dialogues", json.dumps(values, default=str)]
    with log.open("ab") as output:
        return subprocess.Popen(words, stdout=output, stderr=output)


def run_lens(log: Path, **values: Any) -> int:
    """Run it to its end and return the exit code."""
    return start_lens(log, **values).wait()


def wait_for(reached: Callable[[], bool], process: Process) -> bool:
    """Wait until ``reached`` or until the process ends; return whether it goes on."""
    while not reached():
        if process.poll() is not None:
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
