"""Tiny models of several kinds with random weights, a tokenizer, and requests that share text."""

import gc
import random
from collections.abc import Callable
from typing import Any

import pytest
import tokenizers
import torch
import transformers
from lm_eval.api.instance import Instance
from tiny_models import CONFIGS, SIZES, WORDS


@pytest.fixture(scope="session", autouse=True)
def _forget_garbage() -> None:
    """Leave what other tests made to itself: whoever runs out of memory collects all garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """A byte-level tokenizer with the special tokens of ChatML."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<pad>", "<bos>", "<|im_end|>", "<|im_start|>"],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator([" ".join(WORDS), " a b c d user assistant Answer"], trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token="<bos>", eos_token="<|im_end|>", pad_token="<pad>"
    )


@pytest.fixture(scope="session")
def make_weights(tokenizer: Any) -> Callable[[str], Any]:
    """Return a function that makes a model of a kind, the same one every time."""
    made: dict[str, Any] = {}

    def make(kind: str) -> Any:
        if kind not in made:
            torch.manual_seed(0)
            config = CONFIGS[kind](**SIZES, vocab_size=len(tokenizer))
            model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.float32)
            with torch.no_grad():
                for weights in model.parameters():
                    if weights.dim() > 1:
                        weights.mul_(3)  # As they come, all tokens are about as likely.
            made[kind] = model.eval()
        return made[kind]

    return make


@pytest.fixture(scope="session")
def prompts() -> list[str]:
    """Prompts over two contexts that grow, several at each end, among them beginnings of others."""
    draw = random.Random(0)

    def write(words: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(words))

    written = []
    for _ in range(2):
        context = f"<|im_start|>user\n{write(30)}"
        for _ in range(3):
            context += f"<|im_end|>\n<|im_start|>user\n{write(20)}"
            for words in (4, 9):
                question = f"<|im_end|>\n<|im_start|>user\n{write(words)}<|im_end|>\n"
                written.append(f"{context}{question}<|im_start|>assistant\nAnswer:")
            written.append(context)
    draw.shuffle(written)
    return written


@pytest.fixture(scope="session")
def scored(prompts: list[str]) -> list[Instance]:
    """Requests to score: four letters and two longer texts a prompt, one twice, one without any."""
    pairs = [(prompt, f" {answer}") for prompt in prompts for answer in (*"abcd", *WORDS[:2])]
    pairs += [(prompt, f" {' '.join(WORDS[:5])}") for prompt in prompts]
    pairs += [pairs[3], ("", "the cat sat"), (prompts[0] + " \n", "tea")]
    random.Random(1).shuffle(pairs)
    return [Instance("loglikelihood", {}, pair, number) for number, pair in enumerate(pairs)]


@pytest.fixture(scope="session")
def generated(prompts: list[str]) -> list[Instance]:
    """Requests to generate, with two kinds of options."""
    options: list[dict[str, Any]] = [
        {"until": ["tea"], "max_gen_toks": 9, "do_sample": False},
        {"until": [], "max_gen_toks": 5, "repetition_penalty": 1.3},
    ]
    return [
        Instance("generate_until", {}, (prompt, options[number % 2]), number)
        for number, prompt in enumerate(prompts)
    ]
