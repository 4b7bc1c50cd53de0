"""Configurations of tiny models, by what they remember of the tokens they have read."""

import re
from collections.abc import Callable
from typing import Any

import transformers

WORDS = re.findall(
    r"\w+", "the cat sat on a mat while seven old dogs ran over hills for tea and rain"
)

SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 2048,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1}
WINDOW = 16
"""Of the layers that slide, in tokens: far less than a prompt has."""

SLIDING = ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]
CONFIGS: dict[str, Callable[..., Any]] = {
    "full attention": lambda **size: transformers.LlamaConfig(**size),
    "norms of queries": lambda **size: transformers.Qwen3Config(**size, head_dim=16),
    "positions by vectors": lambda **size: transformers.GPT2Config(
        **{"vocab_size": size["vocab_size"], "n_positions": 2048, "n_embd": 32, "n_layer": 3},
        **{"n_head": 4, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
    ),
    "half of a head turned": lambda **size: transformers.GPTNeoXConfig(
        **{**size, "num_key_value_heads": None}, use_parallel_residual=True
    ),
    "sliding window": lambda **size: transformers.Gemma3TextConfig(
        **size, head_dim=8, sliding_window=WINDOW, layer_types=SLIDING
    ),
    "convolutions": lambda **size: transformers.Lfm2Config(
        **size, layer_types=["conv", "full_attention"] * 2, block_auto_adjust_ff_dim=False
    ),
    "linear attention": lambda **size: transformers.Qwen3NextConfig(
        **size,
        **{"head_dim": 8, "linear_key_head_dim": 8, "linear_value_head_dim": 8},
        **{
            "linear_num_value_heads": 4,
            "linear_num_key_heads": 2,
            "num_experts": 2,
            "num_experts_per_tok": 1,
        },
        **{"moe_intermediate_size": 16, "shared_expert_intermediate_size": 16},
    ),
    "state and attention in a layer": lambda **size: transformers.FalconH1Config(
        **size, **MAMBA, mamba_d_ssm=64, mamba_chunk_size=WINDOW
    ),
    "state only": lambda **size: transformers.Mamba2Config(
        **{"vocab_size": size["vocab_size"], "hidden_size": 32, "num_hidden_layers": 2},
        **{"num_heads": 8, "head_dim": 8, "state_size": 8, "n_groups": 2, "chunk_size": WINDOW},
        **{"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
    ),
    "begins anew": lambda **size: transformers.MambaConfig(
        **{"vocab_size": size["vocab_size"], "hidden_size": 32, "num_hidden_layers": 2},
        **{"state_size": 8, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2},
    ),
    "a cache of its own": lambda **size: transformers.MiniMaxConfig(
        **size, head_dim=8, num_local_experts=2, block_size=16
    ),
    "no cache": lambda **size: transformers.RwkvConfig(
        vocab_size=size["vocab_size"], hidden_size=32, num_hidden_layers=2, context_length=2048
    ),
}

EXACT = (
    *("full attention", "sliding window", "convolutions", "linear attention"),
    *("state and attention in a layer", "state only"),
)
"""Those that go on exactly from what they have read."""

PACKED = ("full attention", "norms of queries", "positions by vectors", "half of a head turned")
"""Those that are run on packed tokens."""
