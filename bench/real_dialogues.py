"""Dialogues of PersonaLens in which a small real model plays all three roles.

    python -m bench.real_dialogues [--max-pairs 1] [--max-tokens 24] [--threads 1]

Two tasks of one domain and two of several, each under the settings base and all: eight dialogues,
by SmolLM2-135M-Instruct behind `transformers serve`, through ``personamem lens``. The default
limits make 72 messages and verdicts, which took 194 s of one core (324 s on a busy machine). A
model of this size plays badly and grades worse, and half of its verdicts cannot be read: this shows
that prompts of full length, requests, ends and verdicts of a real server are handled. The last
lines are the result:

    SD base: 2 dialogues, replies, how they ended, verdicts that could be read
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bench.answers import load_helper

ROOT = Path(__file__).resolve().parents[1]
KINDS, SETTINGS, DIALOGUES = ("SD", "MD"), ("base", "all"), 2
COMMAND = (sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()")


def main() -> int:
    """Build users, serve the model, hold the dialogues and print what came of them."""
    parser = argparse.ArgumentParser(description="Hold dialogues with a small real model.")
    parser.add_argument("--max-pairs", type=int, default=1, help="pairs of messages (default: 1)")
    parser.add_argument("--max-tokens", type=int, default=24, help="of a reply (default: 24)")
    parser.add_argument("--threads", type=int, default=1, help="of the server (default: 1)")
    parser.add_argument(
        "--model",
        type=Path,
        default=ROOT / ".cache" / "SmolLM2-135M-Instruct",
        help="folder; `python examples/smollm2.py FOLDER` makes one (default: %(default)s)",
    )
    options = parser.parse_args()
    model = options.model
    if not (model / "config.json").is_file():
        parser.error(f"no model in {model}; run: python examples/smollm2.py {model}")
    # Threads that spin while they wait make torch several times slower on a busy machine.
    os.environ.update(OMP_NUM_THREADS=str(options.threads), OMP_WAIT_POLICY="PASSIVE")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build = ("build", "--family", "personalens", "--users", "20", "--out", folder / "users")
        subprocess.run([*COMMAND, *map(str, build)], check=True, stdout=subprocess.DEVNULL)
        started = time.perf_counter()
        with load_helper("transformers_server").serve_model(model, folder / "log") as url:
            loaded = time.perf_counter() - started
            limits = ("--max-pairs", options.max_pairs, "--max-tokens", options.max_tokens)
            words = ["lens", folder / "users", "--sample", "20", "--limit", DIALOGUES, *limits]
            words += ["--base-url", url, "--out", folder / "dialogues", "--concurrency", "1"]
            words += ["--retries", "0", "--timeout", "1200"]
            for role in ("--model", "--user", "--judge"):
                words += [role, model.name]
            words += [word for kind in KINDS for word in ("--kind", kind)]
            words += [word for setting in SETTINGS for word in ("--setting", setting)]
            words += ["--json", folder / "figures.json"]
            subprocess.run([*COMMAND, *map(str, words)], check=True)
        seconds = time.perf_counter() - started - loaded
        print_figures(folder / "dialogues" / "logs", seconds)
    return 0


def print_figures(logs: Path, seconds: float) -> None:
    """Print what was held, how it ended, and how many verdicts could be read."""
    from personamem.dataset_builder.families.personalens.results.reading import read_runs

    calls = 0
    for run in sorted(read_runs([logs]), key=lambda run: (run.kind, run.setting), reverse=True):
        ended = Counter(str(each.ended) for each in run.dialogues)
        given = [one for each in run.dialogues for many in each.verdicts.values() for one in many]
        replies = sum(each.pairs for each in run.dialogues)
        calls += sum(each.messages for each in run.dialogues) + len(given)
        print(
            f"{run.kind} {run.setting}: {len(run.dialogues)} dialogues, {replies} replies, "
            f"ended {json.dumps(ended)}, verdicts read {sum(v.value is not None for v in given)} "
            f"of {len(given)}"
        )
    print(f"{calls} messages and verdicts in {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
