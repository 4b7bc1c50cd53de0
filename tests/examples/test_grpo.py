"""A step of GRPO with TRL: the first layers of a real model, exported rows, paid by ``score``."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from calling import call

from personamem.loaders import score
from personamem.loaders.personamem.rewards import score_for_trl

pytestmark = [pytest.mark.system, pytest.mark.model]

pytest.importorskip("trl", reason="trl is not installed: pip install --no-deps trl")


@pytest.mark.filterwarnings("ignore")
def test_a_step_of_grpo_runs_on_exported_rows(
    tmp_path: Path, tiny_dataset: Path, short_model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "examples"))
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    import grpo

    words = ("--split", "4k", "--format", "trl", "--history", "column", "--out", tmp_path / "rows")
    assert call("export", tiny_dataset, *words).returncode == 0
    paid: list[tuple[Any, int, float]] = []

    def reward(completions: Sequence[Any], **columns: Any) -> list[float]:
        assert {"prompts", "context", "options", "quad_id"} <= columns.keys()
        assert len(set(columns["quad_id"])) == 1
        assert sorted(columns["answer_index"]) == [0, 0, 1, 1, 2, 2, 3, 3]
        rewards = score_for_trl(completions, **columns)
        paid.extend(zip(completions, columns["answer_index"], rewards, strict=True))
        return rewards

    def number_them(completions: Sequence[Any], **_: Any) -> list[float]:
        # The first replies of so small a model are all wrong: they alone would teach it nothing.
        return [float(number % 2) for number, _ in enumerate(completions)]

    trainer = grpo.train(
        tmp_path / "rows",
        str(short_model_dir),
        tmp_path / "trained",
        steps=1,
        generations=2,
        reply_tokens=6,
        rewards=(reward, number_them),
    )
    (log,) = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(paid) == 8
    assert log["rewards/reward/mean"] == sum(value for *_, value in paid) / 8
    assert log["grad_norm"] > 0
    for completion, index, value in paid:
        assert completion[-1]["content"]
        assert value == score(completion, {"answer_index": index})
    assert (tmp_path / "trained" / "model.safetensors").is_file()
    assert "trl" in sys.modules
