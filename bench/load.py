"""How long it takes to join every question with its messages, by the official recipe and by ours.

    make bench       (or: python -m bench.load DATASET [--split 1M] [--pairs 5])

A pair is one run of each over every question, in processes of their own, start-up included. The
recipe is that of the official release: an index of the offsets in shared_contexts_<split>.jsonl,
then for each row of questions_<split>.csv a seek and `json.loads` of the context's line, unless the
row before it has the same context, and the messages before the question's end index. Ours is
`load_personamem(...).pairs()`, checks included. The last line is the result:

    official recipe / loaders: RATIOx (MIN-MAX, N pairs)

RATIO is the median over the pairs; higher is better. Above it stand the seconds and the largest
resident memory of each run.
"""

import argparse
import csv
import json
import sys
from pathlib import Path

from bench.measure import describe, measure

Joined = tuple[int, int]
"""Questions joined, and the messages that they see in all: the same for both, or one is wrong."""


def main() -> int:
    """Measure the pairs and print the result."""
    parser = argparse.ArgumentParser(description="Time joining questions with their messages.")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--split", default="1M")
    parser.add_argument("--pairs", type=int, default=5, help="measurements (default: 5)")
    options = parser.parse_args()
    ratios = []
    for pair in range(1, options.pairs + 1):
        recipe = measure(join_by_recipe, options.dataset, options.split)
        loaders = measure(join_by_loaders, options.dataset, options.split)
        if recipe.value != loaders.value:
            raise RuntimeError(f"The recipe joined {recipe.value}, the loaders {loaders.value}.")
        ratios.append(recipe.seconds / loaders.seconds)
        print(
            f"pair {pair}: {recipe.value[0]:,} questions, recipe {recipe.seconds:.2f} s and "
            f"{recipe.peak_gib:.2f} GiB, loaders {loaders.seconds:.2f} s and "
            f"{loaders.peak_gib:.2f} GiB",
            flush=True,
        )
    print(describe("official recipe / loaders", ratios))
    return 0


def join_by_recipe(folder: Path, split: str) -> Joined:
    """Join by a seek and a `json.loads` whenever the context is another than the row before's."""
    path = folder / f"shared_contexts_{split}.jsonl"
    offsets: dict[str, int] = {}
    with path.open(encoding="utf-8") as stream:
        offset = 0
        while line := stream.readline():
            offsets[next(iter(json.loads(line)))] = offset
            offset = stream.tell()
    questions = messages = 0
    identifier, context = "", []
    with (folder / f"questions_{split}.csv").open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            if row["shared_context_id"] != identifier:
                identifier = row["shared_context_id"]
                with path.open(encoding="utf-8") as stream:
                    stream.seek(offsets[identifier])
                    context = json.loads(stream.readline())[identifier]
            messages += len(context[: int(row["end_index_in_shared_context"])])
            questions += 1
    return questions, messages


def join_by_loaders(folder: Path, split: str) -> Joined:
    """Join by our loader, which parses each context once."""
    from personamem.loaders import load_personamem

    questions = messages = 0
    for _, seen in load_personamem(folder, split).pairs():
        messages += len(seen)
        questions += 1
    return questions, messages


if __name__ == "__main__":
    sys.exit(main())
