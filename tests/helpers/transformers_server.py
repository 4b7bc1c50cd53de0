"""`transformers serve`: a real model behind a real server, in a process of its own."""

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from preloaded_programs import find_programs

START_SECONDS = 180.0


@contextmanager
def serve_model(folder: Path, log: Path) -> Iterator[str]:
    """Serve the model in ``folder`` under the folder's name; yield base_url, write to ``log``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [os.fspath(find_programs() / "transformers"), "serve", folder.name]
    words += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu"]
    with log.open("wb") as stream:
        # The name is the path as the server takes it, so it starts beside the folder.
        process = subprocess.Popen(
            words,
            cwd=folder.parent,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )
    try:
        _wait_until_it_answers(process, port, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.wait()


def read_tail(log: Path) -> str:
    """The last lines of a server's log."""
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-40:])


def _wait_until_it_answers(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"transformers serve ended by itself:\n{read_tail(log)}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"transformers serve does not answer:\n{read_tail(log)}")
