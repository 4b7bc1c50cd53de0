"""Builds that a model writes are killed, and end as if they had not been."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_kills_change_no_byte_and_ask_for_no_stored_answer_again(
    project_root: Path, run: Run
) -> None:
    command = (sys.executable, "-m", "bench.writing", "--small", "--kills", "3")
    lines = run(*command, cwd=project_root).stdout.splitlines()
    assert lines[-1] == "3 kills, 28 sessions: same bytes, 0 stored answers asked again"
    stored = [int(match) for match in re.findall(r"kill \d: (\d+) answers", "\n".join(lines))]
    assert len(stored) == 3
    assert 0 <= stored[0] < stored[-1], "all kills came at the end"
