"""A memory that saves its state and refuses a session that it knows: for runs that are killed.

As a program, it runs over a dataset, kills the process of the run ten times, and lets it end.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from personamem.loaders import load_personamem
from personamem.loaders.memory.controls import FullMemory
from personamem.loaders.memory.protocol import DatedMessage
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.systems import MemoryFactory

KILLS = 10
PAUSE = 0.004


class KeepingMemory(FullMemory):
    """Takes a moment for each session."""

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        if session_id in self._kept.get(user, {}):
            raise ValueError(f"{user} {session_id} was added before")
        time.sleep(PAUSE)
        super().add(user, session_id, messages)


def run(source: str, out: Path) -> None:
    """Run over all contexts, two units at a time."""
    data = load_personamem(source, "4k")
    factory = MemoryFactory("keeping_memory:KeepingMemory", data)
    run_memory(data, factory, [300, 900], folder=out, side_by_side=2)


def count_done(out: Path) -> int:
    """Return how many steps are stored."""
    return sum(json.loads(p.read_text())["done"] for p in out.glob("units/*/progress.json"))


def run_and_kill(source: str, out: Path) -> int:
    """Kill the run whenever it has got further, ten times at most; return how often it was."""
    kills = 0
    while True:
        before, child = count_done(out), os.fork()
        if not child:
            run(source, out)
            os._exit(0)
        while True:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                if status:
                    raise SystemExit(f"the run failed: {status}")
                return kills
            if kills < KILLS and count_done(out) > before + 8:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                kills += 1
                break
            time.sleep(0.002)


if __name__ == "__main__":
    print(run_and_kill(sys.argv[1], Path(sys.argv[2])))
