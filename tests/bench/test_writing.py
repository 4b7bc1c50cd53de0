"""Builds that a model writes are killed, and end as if they had not been."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_kills_change_no_byte_and_ask_for_no_stored_answer_again(
    project_root: Path, run: Run
) -> None:
    command = (sys.executable, "-m", "bench.writing", "--small", "--kills", "2")
    lines = run(*command, cwd=project_root).stdout.splitlines()
    assert lines[-1] == "2 kills, 14 chats: same bytes, 0 stored answers asked again"
    stored = [int(match) for match in re.findall(r"kill \d: (\d+) answers", "\n".join(lines))]
    (requests,) = re.findall(r"(\d+) requests$", lines[0])
    assert len(stored) == 2
    assert stored[0] < stored[1] == int(requests), "no kill came while text was written"
