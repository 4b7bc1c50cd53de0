"""How long it takes to join every question with its messages, by the official recipe and by ours.

    make bench       (or: python -m bench.load DATASET [--split 1M] [--pairs 5] [--every 4])

A pair is one run of each, in processes of their own, start-up included. The recipe is that of the
official release: an index of the offsets in shared_contexts_<split>.jsonl, then for each row of
questions_<split>.csv a seek, `json.loads` of the context's line, and the messages before the
question's end index. Ours is `load_personamem(...)` and what its `pairs()` does, checks included.

A pass of the recipe over the 1M split takes minutes. So only the questions of every fourth context
are joined, all of them, by both; both still index all contexts. `--every 1` joins every question.
The last line is the result:

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
    parser.add_argument("--every", type=int, default=4, help="contexts to step by (default: 4)")
    options = parser.parse_args()
    arguments = (options.dataset, options.split, options.every)
    ratios = []
    for pair in range(1, options.pairs + 1):
        recipe = measure(join_by_recipe, *arguments)
        loaders = measure(join_by_loaders, *arguments)
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


def join_by_recipe(folder: Path, split: str, every: int) -> Joined:
    """Join by a seek and one `json.loads` a question."""
    contexts = folder / f"shared_contexts_{split}.jsonl"
    offsets: dict[str, int] = {}
    with contexts.open(encoding="utf-8") as stream:
        offset = 0
        while line := stream.readline():
            offsets[next(iter(json.loads(line)))] = offset
            offset = stream.tell()
    chosen = set(list(offsets)[::every])
    questions = messages = 0
    with (
        (folder / f"questions_{split}.csv").open(encoding="utf-8", newline="") as rows,
        contexts.open(encoding="utf-8") as stream,
    ):
        for row in csv.DictReader(rows):
            identifier = row["shared_context_id"]
            if identifier in chosen:
                stream.seek(offsets[identifier])
                context = json.loads(stream.readline())[identifier]
                messages += len(context[: int(row["end_index_in_shared_context"])])
                questions += 1
    return questions, messages


def join_by_loaders(folder: Path, split: str, every: int) -> Joined:
    """Join by our loader, which parses each context once."""
    from personamem.loaders import load_personamem

    dataset = load_personamem(folder, split)
    chosen = set(dataset.context_ids[::every])
    questions = messages = 0
    for question in dataset.ordered_questions():
        if question.shared_context_id in chosen:
            messages += len(dataset.messages_for(question))
            questions += 1
    return questions, messages


if __name__ == "__main__":
    sys.exit(main())
