"""Runs of ``personamem`` that do not wait for imports: one process imports, and forks for each run.

Started as a program it reads a run a line from standard input; ``ForkingCli`` is the other side.
Each run is a process of its own, with its own environment and output, that can be killed.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended; a negative code is a signal."""

    code: int
    output: str
    errors: str


class ForkingCli:
    """A process with everything imported, and the runs it forks."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder = folder
        self.pid = 0
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        *words: object,
        env: dict[str, str | None] | None = None,
        endpoint: str = "",
        xet: bool = False,
    ) -> Finished:
        """Run ``personamem`` with ``words``; None in ``env`` takes a variable away."""
        files = [self.folder / "output", self.folder / "errors"]
        request = {
            "words": [str(word) for word in words],
            "env": env or {},
            "endpoint": endpoint,
            "xet": xet,
            "files": [str(path) for path in files],
        }
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        self.pid = int(self.process.stdout.readline())
        code = int(self.process.stdout.readline())
        return Finished(code, *(path.read_text("utf-8") for path in files))

    def kill_run(self) -> None:
        """Kill the run that is under way, as a power cut would."""
        os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


def serve() -> None:
    modules = ["datasets", "personamem.dataset_builder.cli.app"]
    modules.append("personamem.dataset_builder.publish.release")
    # Streaming imports it where it is installed.
    modules += ["torch"] * (importlib.util.find_spec("torch") is not None)
    for module in modules:
        importlib.import_module(module)

    for line in sys.stdin:
        request = json.loads(line)
        pid = os.fork()
        if pid == 0:
            run_here(request)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def run_here(request: dict[str, Any]) -> None:
    """Be the run, and end with its exit code."""
    import huggingface_hub.constants

    from personamem.dataset_builder.cli import main

    for number, path in enumerate(request["files"], start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    for name, value in request["env"].items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    if request["endpoint"]:
        huggingface_hub.constants.ENDPOINT = request["endpoint"]
    huggingface_hub.constants.HF_HUB_DISABLE_XET = not request["xet"]
    sys.argv = ["personamem", *request["words"]]
    code: object = 1
    try:
        main()
        code = 0
    except SystemExit as error:
        code = error.code or 0
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve()
