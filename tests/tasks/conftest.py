"""Fixtures of the task tests: the loaders' tiny dataset, tasks, a model of a few weights."""

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import tiny_dataset

# Before lm_eval is imported anywhere: nothing in these tests may ask a hub.
os.environ["HF_HUB_OFFLINE"] = "1"

ROOT = Path(__file__).parents[2]
TASKS = ROOT / "tasks"


@pytest.fixture(scope="session")
def tasks_folder() -> Path:
    return TASKS


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    return tiny_dataset


@pytest.fixture(scope="session")
def ours(tiny: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_ours(tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="session")
def official(tiny: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny.write_official(tmp_path_factory.mktemp("official"))


@pytest.fixture(scope="session")
def make_task() -> Callable[..., Any]:
    """Return a function that builds a task as ``lm_eval --tasks NAME --metadata ...`` does."""
    from lm_eval.tasks import TaskManager

    def make(name: str, source: Path | None, **settings: Any) -> Any:
        metadata = settings if source is None else {"dataset": str(source), **settings}
        manager = TaskManager(include_path=str(TASKS), include_defaults=False, metadata=metadata)
        return manager.load([name])["tasks"][name]

    return make


@pytest.fixture(scope="session")
def tiny_model(tiny: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a Llama of one layer, with a byte-level tokenizer and ChatML."""
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")

    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|im_start|>", "<|im_end|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [message["content"] for message in tiny.make_messages(0)]
    tokenizer.train_from_iterator([*texts, " a b c d a b c d"], trainer)
    wrapped = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|im_end|>"
    )
    template = ROOT / "tests/fixtures/chat_templates/chatml.jinja"
    wrapped.chat_template = template.read_text(encoding="utf-8")
    folder = tmp_path_factory.mktemp("model")
    wrapped.save_pretrained(folder)
    config = transformers.LlamaConfig(
        vocab_size=len(wrapped),
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=2048,
        eos_token_id=wrapped.eos_token_id,
        bos_token_id=wrapped.eos_token_id,
        pad_token_id=wrapped.pad_token_id,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return folder
