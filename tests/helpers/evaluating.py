"""Evaluations as users start them: parsed, or run with the dummy model."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from preloaded_programs import find_programs

from personamem.dataset_builder.cli.eval_arguments import Evaluation, parse_evaluation


def parse(*words: str) -> Evaluation:
    return parse_evaluation(words)


def call_apart(*words: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [find_programs() / "personamem", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        env={**os.environ, **variables},
    )


def run_dummy(folder: Path, *words: object, **variables: str) -> list[dict[str, Any]]:
    done = call_apart(
        *("eval", "--model", "dummy", "--log_samples", "--output_path", folder / "out", *words),
        cwd=folder,
        **variables,
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("out/**/samples_*.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
