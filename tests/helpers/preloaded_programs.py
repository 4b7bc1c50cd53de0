"""The commands ``personamem`` and ``lm_eval`` without their imports: a server forks for each run.

``preload_programs`` makes a folder with programs of these names. Put first on PATH, they take any
shell's words, variables, folder and open files to a process that has imported everything, and end
as the child ends that this process forks. A run is a process of its own, up to its exit handlers.
"""

import atexit
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partialmethod
from importlib import import_module
from pathlib import Path
from typing import NoReturn

PRELOADED = (
    "lm_eval.__main__",
    "lm_eval.evaluator",
    "lm_eval.models.huggingface",
    "personamem.dataset_builder.cli.app",
    "personamem.tasks.models.hf_shared",
)

CLIENT = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    socket.send_fds(server, [b"."], [0, 1, 2])
    words = [{name!r}, *sys.argv[1:]]
    run = {{"words": words, "folder": os.getcwd(), "variables": dict(os.environ)}}
    server.sendall(json.dumps(run).encode())
    server.shutdown(socket.SHUT_WR)
    reply = server.recv(8)
sys.exit(int(reply) if reply else "the server of programs has ended")
"""


@contextmanager
def preload_programs(env: dict[str, str]) -> Iterator[Path]:
    """Yield the folder of the programs while their server runs, which starts with ``env``."""
    # The address of a socket is at most a hundred characters long.
    with tempfile.TemporaryDirectory(prefix="programs-") as name:
        folder, address = Path(name), os.path.join(name, "socket")
        for program in PROGRAMS:
            path = folder / program
            text = CLIENT.format(python=sys.executable, address=address, name=program)
            path.write_text(text, "utf-8")
            path.chmod(0o755)
        words = [sys.executable, __file__, address]
        with subprocess.Popen(words, env=env, stdout=subprocess.PIPE) as server:
            assert server.stdout
            assert server.stdout.readline() == b"ready\n"
            try:
                yield folder
            finally:
                server.terminate()


def run_personamem() -> None:
    from personamem.dataset_builder.cli import main

    main()


def run_lm_eval() -> None:
    from lm_eval.__main__ import cli_evaluate
    from lm_eval.tasks import TaskManager

    from personamem.tasks.linking import find_links_folder

    # lm-eval's own tasks are thousands of files, and looked through at every start.
    TaskManager.__init__ = partialmethod(TaskManager.__init__, include_defaults=False)  # type: ignore[method-assign]
    sys.argv += ["--include_path", str(find_links_folder())]
    cli_evaluate()


PROGRAMS: dict[str, Callable[[], None]] = {"personamem": run_personamem, "lm_eval": run_lm_eval}


def serve(address: str) -> Callable[[], None]:
    """Fork for each run, and tell its client how it ended; return in children: what to run."""
    for module in PRELOADED:
        import_module(module)
    # Or each run would look through what was imported, and so copy the memory that it shares.
    gc.freeze()
    clients: dict[int, socket.socket] = {}

    def report(*_: object) -> None:
        for pid in list(clients):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                # A shell that gave up waiting is no concern of the other runs.
                with clients.pop(pid) as client, suppress(OSError):
                    client.sendall(str(code if code >= 0 else 128 - code).encode())

    signal.signal(signal.SIGCHLD, report)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while True:
            client, _ = server.accept()
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            pid = os.fork()
            if pid == 0:
                break
            clients[pid] = client
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for other in clients.values():
        other.close()
    return take_over(client)


def take_over(client: socket.socket) -> Callable[[], None]:
    """Take the words, variables, folder and files of a client; return the program it names."""
    with client:
        _, files, *_ = socket.recv_fds(client, 1, 3)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        with client.makefile("rb") as stream:
            run = json.load(stream)
    os.chdir(run["folder"])
    os.environ.clear()
    os.environ.update(run["variables"])
    sys.argv = run["words"]
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
