"""The internals of torch, transformers and lm-eval that the models rely on, as they are now."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from lm_eval.api.registry import get_model, model_registry
from transformers import GenerationConfig, LlamaConfig, Mamba2Config, Qwen3NextConfig
from transformers.generation import GenerationMode

from personamem.tasks.models.lm_eval_compat import replace_model
from personamem.tasks.models.torch_compat import has_cpu_attention, run_cpu_attention
from personamem.tasks.models.transformers_compat import (
    GREEDY,
    PassingCache,
    find_generation_mode,
    has_stock_attention,
    is_growing_layer,
    is_plain_layer,
    is_stock_cache,
    is_stock_layer,
    keeps_states_alone,
    make_cache,
    switch_attention,
)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_kernel_returns_attention_and_the_logarithms_of_its_sums(dtype: torch.dtype) -> None:
    assert has_cpu_attention()
    torch.manual_seed(0)
    query = torch.randn(2, 6, 5, 8, dtype=dtype)
    key, value = torch.randn(2, 2, 2, 9, 8, dtype=dtype)
    mask = torch.zeros(2, 1, 5, 9, dtype=dtype)
    mask[:, :, :, 6:] = mask[1, :, 2, 1:] = -torch.inf
    output, weight = run_cpu_attention(query, key, value, mask, scale=0.3)
    scores = query.double() @ key.double().repeat_interleave(3, 1).transpose(2, 3) * 0.3 + mask
    expected = scores.softmax(-1) @ value.double().repeat_interleave(3, 1)
    tolerance = 2e-2 if dtype is torch.bfloat16 else 1e-5
    assert torch.allclose(output.double(), expected, atol=tolerance)
    assert torch.allclose(weight.double(), scores.logsumexp(-1), atol=tolerance)


def test_a_mask_may_be_the_same_for_all_tokens_and_hide_all_keys() -> None:
    query, key, value = torch.randn(3, 3, 2, 4, 8)
    mask = torch.zeros(3, 1, 1, 4)
    mask[1] = -torch.inf
    output, weight = run_cpu_attention(query, key, value, mask)
    assert torch.allclose(output[::2], run_cpu_attention(query, key, value)[0][::2], atol=1e-6)
    assert not output[1].any()
    assert not weight[1].any()


def test_a_passing_cache_returns_what_it_gets_and_stays_empty() -> None:
    cache = PassingCache()
    states = torch.randn(2, 1, 2, 3, 4)
    for _ in range(2):
        keys, values = cache.update(*states, 0)
        assert torch.equal(keys, states[0])
        assert torch.equal(values, states[1])
        assert cache.get_seq_length() == 0
    assert not is_stock_cache(cache)


def test_a_stock_cache_is_made_of_states() -> None:
    states = torch.randn(3, 2, 1, 2, 5, 4)
    cache = make_cache({layer: (states[layer, 0], states[layer, 1]) for layer in (1, 0, 2)})
    assert is_stock_cache(cache)
    for layer, (keys, values) in zip(cache.layers, states, strict=True):
        assert is_stock_layer(layer)
        assert is_plain_layer(layer)
        assert is_growing_layer(layer)
        assert torch.equal(layer.keys, keys)
        assert torch.equal(layer.values, values)


@pytest.mark.parametrize("kind", ["full attention", "sliding window"])
def test_attention_is_switched_and_brought_back(
    make_weights: Callable[[str], Any], kind: str
) -> None:
    model = make_weights(kind)
    before = model.config._attn_implementation
    assert has_stock_attention(model)
    with switch_attention(model, "eager"):
        assert not has_stock_attention(model)
    assert model.config._attn_implementation == before


@pytest.mark.parametrize(
    ("options", "mode"),
    [
        ({}, GREEDY),
        ({"do_sample": False, "temperature": 1.0, "repetition_penalty": 1.3}, GREEDY),
        ({"do_sample": True}, GenerationMode.SAMPLE),
        ({"num_beams": 3}, None),
        ({"num_return_sequences": 2, "do_sample": True}, None),
        ({"use_cache": False}, None),
        ({"cache_implementation": "static"}, None),
        ({"penalty_alpha": 0.6, "top_k": 4}, None),
        ({"prompt_lookup_num_tokens": 3}, None),
        ({"token_healing": True}, None),
        ({"an_argument_of_the_model": 1}, None),
    ],
)
def test_ways_to_generate_are_told_apart(
    make_weights: Callable[[str], Any], options: dict[str, Any], mode: GenerationMode | None
) -> None:
    model = make_weights("full attention")
    before = GenerationConfig(**model.generation_config.to_dict())
    assert find_generation_mode(model, options) is mode
    assert model.generation_config == before


def test_generate_hands_what_it_has_prepared_to_a_function(
    make_weights: Callable[[str], Any],
) -> None:
    given: list[Any] = []

    def keep(model: Any, input_ids: torch.Tensor, **prepared: Any) -> torch.Tensor:
        given.append(prepared)
        return input_ids

    tokens = torch.tensor([[5, 6, 7]])
    options = {"max_length": 5, "repetition_penalty": 2.0, "eos_token_id": 9, "pad_token_id": 0}
    make_weights("full attention").generate(tokens, custom_generate=keep, **options)
    (prepared,) = given
    logits = torch.ones(1, 10)
    assert prepared["logits_processor"](tokens, logits).tolist() == [[1] * 5 + [0.5] * 3 + [1] * 2]
    criteria = prepared["stopping_criteria"]
    for more, ends in (([], False), ([8], False), ([9], True), ([8, 8], True)):
        assert bool(criteria(torch.tensor([[5, 6, 7, *more]]), None)) is ends


def test_a_model_of_lm_eval_is_replaced_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_registry, "_objs", dict(model_registry._objs))

    class Other(get_model("dummy")):  # type: ignore[misc]
        pass

    replace_model("dummy", Other)
    assert get_model("dummy") is Other


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (Mamba2Config(num_hidden_layers=2), True),
        (LlamaConfig(num_hidden_layers=2), False),
        (Qwen3NextConfig(num_hidden_layers=4), False),
    ],
)
def test_models_that_keep_states_alone_are_known(config: Any, expected: bool) -> None:
    assert keeps_states_alone(config) == expected
