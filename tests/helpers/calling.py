"""Runs of ``personamem`` in this process: what the entry point does, without its start-up."""

import io
import os
import subprocess
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from unittest.mock import patch

from personamem.dataset_builder.cli import main


def call(
    *words: object, env: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run ``personamem`` with ``words`` and return its exit code and output, as a process would."""
    arguments = ["personamem", *map(str, words)]
    # A terminal of our own width, so that texts are found whatever pytest runs in.
    changed = {"COLUMNS": "200", "TERMINAL_WIDTH": "200", **(env or {})}
    code: object = 0
    with (
        redirect_stdout(io.StringIO()) as output,
        redirect_stderr(io.StringIO()) as errors,
        patch.dict(os.environ, changed),
        patch("sys.argv", arguments),
    ):
        try:
            main()
        except SystemExit as stopped:
            code = stopped.code or 0
    assert isinstance(code, int), code
    return subprocess.CompletedProcess(arguments, code, output.getvalue(), errors.getvalue())
