"""Dialogues of PersonaLens: the speed-up from holding many at a time, and runs that are killed.

    python -m bench.dialogues [--pairs 3]      64 at a time, against one at a time
    python -m bench.dialogues --kills 10       a run killed so often, under all settings

The server runs on this machine in its own process, and takes 200 ms for a reply (with --kills 10
ms). A rate is replies over the seconds from the first request to the last. The last line is the
result:

    concurrent / one at a time: RATIOx (MIN-MAX, N pairs)
    killed N times: R replies needed, S sent, of which at most T were under way at a kill

64 is the most possible, and a busy core ends it earlier: a reply takes 5 to 6 ms of one, most of it
in inspect-ai (records of the log, the cache, limits), 1 ms in the provider ``chat-server`` and its
connection; with inspect-ai's provider ``openai-api`` and Python's usual garbage collection it was 9
to 10 ms. The server takes 0.4 ms. The live view and the log of raw requests (log_realtime,
log_model_api) add a fifth and are off.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.answers import HELPERS, load_helper
from bench.measure import describe, measure

CONCURRENT = 64
LATENCY = 0.2


@dataclass(frozen=True, slots=True)
class Served:
    """A server: its address, and the file with a line for each request and its time."""

    url: str
    journal: Path

    def read(self) -> list[tuple[float, str]]:
        """Return the requests so far: when each came, and what it asked."""
        lines = self.journal.read_text().splitlines() if self.journal.exists() else []
        return [(float(moment), key) for moment, key in map(str.split, lines)]


def main() -> int:
    """Measure and print the result."""
    parser = argparse.ArgumentParser(description="Time dialogues with a server on this machine.")
    parser.add_argument("--pairs", type=int, default=3, help="measurements (default: 3)")
    parser.add_argument("--kills", type=int, help="kill a run so often instead")
    parser.add_argument(
        "--users", type=int, default=64, help="users with two dialogues each (default: 64)"
    )
    options = parser.parse_args()
    if options.kills:
        print(kill_runs(options.kills))
        return 0
    ratios = []
    for pair in range(1, options.pairs + 1):
        one, many = (
            measure(rate_run, users, concurrency).value
            for users, concurrency in ((1, 1), (options.users, CONCURRENT))
        )
        ratios.append(many / one)
        print(f"pair {pair}: one {one:.2f}/s, {CONCURRENT} at a time {many:.1f}/s", flush=True)
    print(describe("concurrent / one at a time", ratios))
    return 0


def rate_run(users: int, concurrency: int) -> float:
    """Return the replies a second of a run."""
    with tempfile.TemporaryDirectory() as name, serve(Path(name), LATENCY) as served:
        job = make_job(Path(name), users, served.url, kinds=("SD",), concurrency=concurrency)
        run_job(job)
        moments = [moment for moment, _ in served.read()]
    return len(moments) / (max(moments) - min(moments) + LATENCY)


def kill_runs(kills: int) -> str:
    """Return what a run under all settings sent that was killed at even distances."""
    from personamem.tasks.personalens.dialogues.settings import SETTINGS

    with tempfile.TemporaryDirectory() as name, serve(Path(name), 0.01) as served:
        folder = Path(name)
        job = make_job(folder, 2, served.url, settings=tuple(SETTINGS), concurrency=16)
        process = load_helper("lens_process")
        whole = {**job, "folder": folder / "whole"}
        run_job(whole)
        needed = len(served.read())
        asked = needed
        for number in range(1, kills + 1):
            run = process.start_lens(folder / "log", **job)
            goal = needed + needed * number // (kills + 1)
            reached = process.wait_for(lambda goal=goal: len(served.read()) >= goal, run)
            if not reached:
                raise RuntimeError((folder / "log").read_text())
            os.kill(run.pid, signal.SIGKILL)
            run.join()
        run_job(job)
        sent = len(served.read()) - asked
    under_way = kills * 16 * 3
    return (
        f"killed {kills} times: {needed:,} replies needed, {sent:,} sent, of which at most "
        f"{under_way:,} were under way at a kill"
    )


def make_job(folder: Path, users: int, url: str, **values: Any) -> dict[str, Any]:
    """Return a job on users of the tests' release."""
    source = folder / "release"
    if not source.exists():
        load_helper("lens_release").write_users(source, users)
    job: dict[str, Any] = load_helper("lens_process").make_job(
        source, folder / "out", url, **values
    )
    return job


def run_job(job: dict[str, Any]) -> None:
    """Hold the dialogues of a job in a process of its own."""
    process = load_helper("lens_process")
    log = Path(job["folder"]).with_suffix(".log")
    if process.run_lens(log, **job):
        raise RuntimeError(log.read_text())


@contextmanager
def serve(folder: Path, latency: float) -> Iterator[Served]:
    """Run the server in a process of its own."""
    port, journal = folder / "port", folder / "journal"
    words = [sys.executable, str(HELPERS / "lens_server.py"), str(port), str(journal)]
    with subprocess.Popen([*words, str(latency)]) as process:
        try:
            while not (port.exists() and port.read_text()):
                time.sleep(0.05)
            yield Served(f"http://127.0.0.1:{port.read_text()}/v1", journal)
        finally:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
