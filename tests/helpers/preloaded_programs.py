"""Programs without their imports, which take longer than most runs: a server forks for each run.

``find_programs`` returns a folder with the programs of ``PROGRAMS``. Put first on PATH, they take
any shell's words, variables, folder, open files and limit on files to a process that has imported
everything, and end as the child ends that this process forks. A run is a process of its own, up to
its exit handlers, and is killed with its program (``kill_run``). The server ends with the process
that asked.
"""

import atexit
import gc
import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partialmethod
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

PRELOADED = (
    "inspect_ai.model._openai_responses",
    "inspect_ai.model._providers.openai_compatible",
    "lm_eval.__main__",
    "lm_eval.evaluator",
    "lm_eval.models",
    "lm_eval.models.huggingface",
    "lm_eval.models.openai_completions",
    "personamem.dataset_builder.cli.app",
    "personamem.dataset_builder.families.personalens.lens_run",
    "personamem.tasks.models.hf_shared",
    "transformers.cli.transformers",
    "transformers.cli.serving.server",
    "transformers.models.llama.modeling_llama",
)

CLIENT = """\
#!{python} -IS
import json, os, resource, signal, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    signal.signal(signal.SIGTERM, lambda *_: server.shutdown(socket.SHUT_WR))
    server.connect({address!r})
    socket.send_fds(server, [b"."], [0, 1, 2])
    words = [{name!r}, *sys.argv[1:]]
    run = {{"words": words, "folder": os.getcwd(), "variables": dict(os.environ)}}
    run["file_bytes"] = resource.getrlimit(resource.RLIMIT_FSIZE)
    server.sendall(json.dumps(run).encode() + b"\\n")
    reply = server.recv(8)
code = int(reply) if reply else "the server of programs has ended"
if reply and code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
"""

# As it was before any test changed it.
VARIABLES = dict(os.environ)


@cache
def find_programs() -> Path:
    """Return the folder of the programs; at the first call, start their server."""
    # The address of a socket is at most a hundred characters long.
    scratch = tempfile.TemporaryDirectory(prefix="programs-")
    folder, address = Path(scratch.name), os.path.join(scratch.name, "socket")
    for program in PROGRAMS:
        path = folder / program
        path.write_text(CLIENT.format(python=sys.executable, address=address, name=program))
        path.chmod(0o755)
    words = [sys.executable, __file__, address]
    server = subprocess.Popen(words, env=VARIABLES, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    atexit.register(stop, server, scratch)
    assert server.stdout
    assert server.stdout.readline() == b"ready\n"
    return folder


def kill_run(program: "subprocess.Popen[Any]") -> None:
    """Kill what a program runs, as a power cut would, and wait until that is gone."""
    program.terminate()
    program.wait()


def stop(server: "subprocess.Popen[bytes]", scratch: "tempfile.TemporaryDirectory[str]") -> None:
    """End the server and what still runs."""
    with server, scratch:
        assert server.stdin
        server.stdin.close()


def run_personamem() -> None:
    from personamem.dataset_builder.cli import main

    main()


def run_lm_eval() -> None:
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.tasks import TaskManager

    from personamem.tasks.linking import find_links_folder
    from personamem.tasks.models import register_models

    # lm-eval's own tasks are thousands of files, and looked through at every start.
    TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)  # type: ignore[method-assign]
    if "--include_path" not in sys.argv:
        sys.argv += ["--include_path", str(find_links_folder())]
    register_models()
    cli_evaluate()


def run_transformers() -> None:
    from transformers.cli.transformers import main

    main()


def hold_dialogues() -> None:
    """Hold the dialogues of the job whose values are the only word; exit with 0 if none failed."""
    from personamem.dataset_builder.families.personalens.lens_run import LensJob, hold_dialogues

    values = json.loads(sys.argv[1])
    logs = hold_dialogues(LensJob(**{**values, "folder": Path(values["folder"])}))
    sys.exit(any(log.status != "success" for log in logs))


PROGRAMS: dict[str, Callable[[], None]] = {
    "personamem": run_personamem,
    "lm_eval": run_lm_eval,
    "transformers": run_transformers,
    "hold_dialogues": hold_dialogues,
}


def serve(address: str) -> Callable[[], None]:
    """Fork for each run, and tell its program how it ended; return in children: what to run."""
    for module in PRELOADED:
        import_module(module)
    # Or each run would look through what was imported, and so copy the memory that it shares.
    gc.freeze()
    ended, wake = socket.socketpair()
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno())
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    server.listen()
    print("ready", flush=True)
    runs: dict[socket.socket, int] = {}
    while True:
        readable, _, _ = select.select([sys.stdin, ended, server, *runs], [], [])
        for client, pid in runs.items():
            # Its program was killed or wants it to be, or whoever asked for programs has ended.
            if client in readable or sys.stdin in readable:
                os.killpg(pid, signal.SIGKILL)
        if sys.stdin in readable:
            return lambda: None
        if ended in readable:
            ended.recv(4096)
            report_ended(runs)
        if server in readable:
            client, _ = server.accept()
            run = Run.receive(client)
            pid = os.fork()
            if pid == 0:
                return run.take_over()
            run.close_files()
            # Here as well, or it might be killed before it has done so.
            os.setpgid(pid, pid)
            runs[client] = pid


def report_ended(runs: dict[socket.socket, int]) -> None:
    """Tell the programs of runs that have ended, and forget those."""
    for client, pid in list(runs.items()):
        waited, status = os.waitpid(pid, os.WNOHANG)
        if waited:
            del runs[client]
            # A program that was killed is told nothing.
            with client, suppress(OSError):
                client.sendall(str(os.waitstatus_to_exitcode(status)).encode())


@dataclass(frozen=True, slots=True)
class Run:
    """What a program was called with, and its standard files."""

    words: list[str]
    folder: str
    variables: dict[str, str]
    file_bytes: tuple[int, int]
    files: list[int]

    @classmethod
    def receive(cls, client: socket.socket) -> "Run":
        _, files, *_ = socket.recv_fds(client, 1, 3)
        with client.makefile("rb") as stream:
            return cls(**json.loads(stream.readline()), files=files)

    def close_files(self) -> None:
        for file in self.files:
            os.close(file)

    def take_over(self) -> Callable[[], None]:
        """Make this process the run; return what it runs."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setpgid(0, 0)
        for number, file in enumerate(self.files):
            os.dup2(file, number)
        self.close_files()
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.variables)
        resource.setrlimit(resource.RLIMIT_FSIZE, tuple(self.file_bytes))
        sys.argv = self.words
        return PROGRAMS[sys.argv[0]]


def end(program: Callable[[], None]) -> NoReturn:
    """Run a program to the end of this process, which takes nothing of what was imported apart."""
    code: object = 0
    try:
        program()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    # The folder of this file, of which programs know nothing.
    del sys.path[0]
    end(serve(sys.argv[1]))
