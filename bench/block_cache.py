"""Prefill tokens in vLLM's prefix cache: lm-eval's order of the questions against ours.

    make bench       (or: python -m bench.block_cache DATASET [--splits 32k 128k 1M])

Nothing runs on a model: `bench.prefix_cache` simulates the cache, exactly. lm-eval sends the
longest prompt first; we send context by context, in each the shortest first. A line a split and
budget, the budget being the tokens that the key-value cache holds:

    block cache SPLIT, BUDGET: RATIOx (ours FLOORx the floor; K of N prompts)

RATIO is the tokens computed in lm-eval's order over those in ours. The floor is every distinct
prefix token once and every question's own tokens once; as only whole blocks of 16 are shared, the
least that any order can reach is a little above it. A prompt longer than the budget cannot run:
the line is about the K prompts that can.

Lengths are o200k_base tokens of the message contents: a question's prefix as its column
context_length_in_tokens says, its own tokens those of its final turn. What a chat template adds
around the messages is left out. Contexts share nothing with each other: those of a default build
have 12 tokens in common, less than a block.
"""

import argparse
import sys
from functools import partial
from pathlib import Path

from bench.prefix_cache import (
    Prompt,
    count_floor,
    count_prefill,
    order_by_context,
    order_longest_first,
)
from personamem.loaders import PersonaMem, load_personamem, make_final_turn, render_plain
from personamem.loaders.formats.tokens import count_tokens

BUDGETS = {f"{kilo}k": kilo * 1024 for kilo in (64, 128, 256, 512)} | {"1M": 1024 * 1024}


def main() -> int:
    """Print a line a split and budget."""
    parser = argparse.ArgumentParser(description="Simulate vLLM's prefix cache.")
    parser.add_argument("dataset", type=Path, help="a dataset folder")
    parser.add_argument("--splits", nargs="+", default=["32k", "128k", "1M"])
    options = parser.parse_args()
    for split in options.splits:
        dataset = load_personamem(options.dataset, split)
        prompts = make_prompts(dataset)
        ours = order_by_context(prompts)
        theirs = order_longest_first(prompts, partial(render, dataset))
        for name, tokens in BUDGETS.items():
            print(f"block cache {split}, {name}: {compare(theirs, ours, tokens)}", flush=True)
    return 0


def make_prompts(dataset: PersonaMem) -> list[Prompt]:
    """Return the prompts of all questions, in the order of the file."""
    return [
        Prompt(
            question.shared_context_id,
            question.context_length_in_tokens or 0,
            count_tokens(make_final_turn(question.user_question_or_message, question.options)),
        )
        for question in dataset.questions
    ]


def render(dataset: PersonaMem, index: int) -> str:
    """Return the text of a question's prompt, by which lm-eval orders prompts of one length."""
    question = dataset.questions[index]
    turn = make_final_turn(question.user_question_or_message, question.options)
    return render_plain([*dataset.messages_for(question), {"role": "user", "content": turn}])


def compare(theirs: list[Prompt], ours: list[Prompt], budget_tokens: int) -> str:
    """Return the ratio of two orders of the same prompts, and ours against the floor."""
    runnable = [prompt for prompt in ours if prompt.tokens <= budget_tokens]
    if not runnable:
        return "no prompt fits"
    computed = count_prefill(runnable, budget_tokens)
    computed_theirs = count_prefill(
        (prompt for prompt in theirs if prompt.tokens <= budget_tokens), budget_tokens
    )
    return (
        f"{computed_theirs / computed:.2f}x (ours {computed / count_floor(runnable):.3f}x the "
        f"floor; {len(runnable):,} of {len(ours):,} prompts)"
    )


if __name__ == "__main__":
    sys.exit(main())
