"""A step of GRPO with TRL, of a real model on exported rows, paid by ``score``."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from personamem.loaders import score
from personamem.loaders.personamem.rewards import score_for_trl

pytestmark = [pytest.mark.system, pytest.mark.model]

pytest.importorskip("trl", reason="trl is not installed: pip install --no-deps trl")


@pytest.mark.filterwarnings("ignore")
def test_a_step_of_grpo_runs_on_exported_rows(
    export: Callable[..., Path], smollm2_dir: Path, tmp_path: Path
) -> None:
    from trl import GRPOConfig, GRPOTrainer

    rows = load_dataset(
        "parquet",
        data_files=str(export("--format", "trl", "--history", "column") / "train.parquet"),
        cache_dir=str(tmp_path / "cache"),
    )["train"]
    paid: list[tuple[Any, int, float]] = []

    def reward(completions: Sequence[Any], **columns: Any) -> list[float]:
        assert {"prompts", "context", "options", "quad_id"} <= columns.keys()
        rewards = score_for_trl(completions, **columns)
        paid.extend(zip(completions, columns["answer_index"], rewards, strict=True))
        return rewards

    def number_them(completions: Sequence[Any], **_: Any) -> list[float]:
        # The first replies of so small a model are all wrong: they alone would teach it nothing.
        return [float(number) for number, _ in enumerate(completions)]

    settings = GRPOConfig(
        output_dir=str(tmp_path / "out"),
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=8,
        max_steps=1,
        shuffle_dataset=False,
        learning_rate=1e-6,
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(str(smollm2_dir), [reward, number_them], settings, train_dataset=rows)
    trainer.train()
    (log,) = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(paid) == 2
    assert log["rewards/reward/mean"] == sum(value for *_, value in paid) / 2
    assert log["grad_norm"] > 0
    for completion, index, value in paid:
        assert completion[-1]["content"]
        assert value == score(completion, {"answer_index": index})
