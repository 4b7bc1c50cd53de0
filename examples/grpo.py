"""Train a model by GRPO with TRL on rows that ``personamem export`` wrote.

    personamem export my-benchmark --split 4k --format trl --hold-out-personas 4 --out training
    pip install trl
    python examples/grpo.py training HuggingFaceTB/SmolLM2-135M-Instruct trained

A batch holds the four rows of a quad, which the export keeps together: one question with four
different right answers, so a reply that ignores the conversation gains nothing on average. What was
held out is in ``training/test.parquet``; for ``personamem eval``, build a benchmark with another
``--seed`` or ``--part``.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from personamem.loaders.personamem.rewards import score_for_trl

QUAD = 4


def train(
    folder: Path,
    model: str,
    out: Path,
    *,
    steps: int = 100,
    generations: int = 4,
    reply_tokens: int = 16,
    rewards: Sequence[Callable[..., list[float]]] = (score_for_trl,),
) -> Any:
    """Train on ``folder``/train.parquet, save the model in ``out``, and return TRL's trainer."""
    from datasets import load_dataset
    from trl import GRPOConfig, GRPOTrainer

    rows = load_dataset("parquet", data_files=str(folder / "train.parquet"), split="train")
    settings = GRPOConfig(
        output_dir=str(out),
        per_device_train_batch_size=QUAD * generations,
        num_generations=generations,
        max_completion_length=reply_tokens,
        max_steps=steps,
        # Quads stay whole.
        shuffle_dataset=False,
        learning_rate=1e-6,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        # A processor has no half precision; an accelerator may as well take bf16=True.
        bf16=False,
    )
    trainer = GRPOTrainer(model, list(rewards), settings, train_dataset=rows)
    trainer.train()
    trainer.save_model(str(out))
    return trainer


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python examples/grpo.py TRAINING MODEL OUT")
    train(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
