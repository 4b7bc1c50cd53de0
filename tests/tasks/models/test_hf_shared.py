"""``hf-shared`` against ``hf``, on the same weights."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest
import torch
import transformers
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model
from lm_eval.models.huggingface import HFLM
from tiny_models import EXACT

from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.models import reading, register_models
from personamem.tasks.models.caches import CacheError
from personamem.tasks.models.generations import make_settings
from personamem.tasks.models.hf_shared import SharedHFLM
from personamem.tasks.models.reading import OutOfMemoryError


@pytest.fixture
def make(make_weights: Callable[[str], Any], tokenizer: Any) -> Callable[..., Any]:
    """Return a function that makes an lm-eval model of tiny weights."""

    def make_model(kind: str, cls: type = SharedHFLM, **options: Any) -> Any:
        return cls(
            pretrained=make_weights(kind), tokenizer=tokenizer, **{"max_length": 2000, **options}
        )

    return make_model


def test_lm_eval_knows_the_model_by_name() -> None:
    assert "hf-shared" in register_models()
    assert get_model("hf-shared") is SharedHFLM


@pytest.mark.parametrize("options", [{}, {"batch_size": 4, "prefill_chunk": 7}])
@pytest.mark.parametrize("kind", EXACT)
def test_likelihoods_are_those_of_hf(
    make: Callable[..., Any], scored: list[Instance], kind: str, options: dict[str, Any]
) -> None:
    expected = make(kind, HFLM, batch_size=16).loglikelihood(scored, disable_tqdm=True)
    model = make(kind, **options)
    found = model.loglikelihood(scored, disable_tqdm=True)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours[0] == pytest.approx(theirs[0], abs=1e-4)
        assert ours[1] == theirs[1]
    stats = model.stats
    assert stats.computed <= 1.05 * stats.distinct
    assert stats.naive > 4 * stats.computed


@pytest.mark.parametrize("kind", EXACT)
def test_replies_are_those_of_hf(
    make: Callable[..., Any], generated: list[Instance], kind: str
) -> None:
    expected = make(kind, HFLM).generate_until(generated, disable_tqdm=True)
    model = make(kind, prefill_chunk=16)
    assert model.generate_until(generated, disable_tqdm=True) == expected
    assert len(set(expected)) > 6
    if kind != "state only":
        # It takes its cache by a name that transformers' `generate` does not go on from.
        assert model.stats.computed == model.stats.distinct < model.stats.naive / 4


@pytest.mark.parametrize("think", ["cat", 300])
def test_thoughts_are_left_out_as_by_hf(
    make: Callable[..., Any], generated: list[Instance], think: str | int
) -> None:
    options = {"think_end_token": think}
    expected = make("full attention", HFLM, **options).generate_until(generated, True)
    assert make("full attention", **options).generate_until(generated, True) == expected


def test_options_that_transformers_would_ignore_are_left_out(make: Callable[..., Any]) -> None:
    model = make("full attention")
    greedy = make_settings(model, {"do_sample": False, "temperature": 0.0, "max_gen_toks": 4})
    assert greedy.options == {"do_sample": False}
    assert make_settings(model, {"temperature": 0.0}).options == {"do_sample": False}
    drawn = make_settings(model, {"do_sample": True, "temperature": 0.7})
    assert drawn.options == {"do_sample": True, "temperature": 0.7}


def test_beams_are_left_to_hf(make: Callable[..., Any], prompts: list[str]) -> None:
    options = {"num_beams": 2, "max_gen_toks": 4}
    requests = [Instance("generate_until", {}, (prompt, options), 0) for prompt in prompts[:3]]
    model = make("full attention")
    expected = make("full attention", HFLM).generate_until(requests, True)
    assert model.generate_until(requests, True) == expected
    assert model.stats.computed == 0


def test_a_rolling_likelihood_is_that_of_hf(make: Callable[..., Any], prompts: list[str]) -> None:
    requests = [Instance("loglikelihood_rolling", {}, (text,), 0) for text in prompts[:2]]
    expected = make("full attention", HFLM).loglikelihood_rolling(requests, True)
    assert make("full attention").loglikelihood_rolling(requests, True) == pytest.approx(expected)


def test_every_answer_is_handed_to_the_cache_at_once(
    make: Callable[..., Any], scored: list[Instance], generated: list[Instance]
) -> None:
    kept: list[tuple[str, Any, Any]] = []

    class Hook:
        def add_partial(self, kind: str, request: Any, answer: Any) -> None:
            kept.append((kind, request, answer))

    model = make("full attention")
    model.set_cache_hook(Hook())
    answers = model.loglikelihood(scored, disable_tqdm=True)
    replies = model.generate_until(generated, disable_tqdm=True)
    expected = [("loglikelihood", r.args, a) for r, a in zip(scored, answers, strict=True)]
    expected += [("generate_until", r.args, a) for r, a in zip(generated, replies, strict=True)]
    assert sorted(map(str, kept)) == sorted(map(str, expected))


def test_no_logits_are_made_that_nobody_asked_for(
    make: Callable[..., Any], prompts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make("full attention", prefill_chunk=32)
    requests = [Instance("loglikelihood", {}, (prompt, " a"), 0) for prompt in prompts]
    model.loglikelihood(requests, disable_tqdm=True)
    made: list[int] = []
    forward = model.model.forward

    @wraps(forward)
    def watch(*args: Any, **options: Any) -> Any:
        output = forward(*args, **options)
        made.append(output.logits.shape[1])
        return output

    monkeypatch.setattr(model.model, "forward", watch)
    model.loglikelihood(requests, disable_tqdm=True)
    assert max(made) == 1


def test_a_prompt_that_does_not_fit_is_an_error_with_both_numbers(
    make: Callable[..., Any], prompts: list[str]
) -> None:
    model = make("full attention", max_length=50)
    request = Instance("loglikelihood", {}, (prompts[0], " a"), 7, ("riddles", 7, 1))
    with pytest.raises(InvalidInputError, match=r"riddles, document 7: .* 89 tokens.* 50\."):
        model.loglikelihood([request], disable_tqdm=True)
    options = {"max_gen_toks": 40}
    request = Instance("generate_until", {}, ("the cat " * 9, options), 8, ("riddles", 8, 1))
    with pytest.raises(InvalidInputError, match=r"27 tokens and a reply of up to 40.* 50\."):
        model.generate_until([request], disable_tqdm=True)


def test_a_prompt_that_just_fits_is_read(make: Callable[..., Any], tokenizer: Any) -> None:
    request = Instance("loglikelihood", {}, ("the cat " * 9 + "sat", " a"), 0)
    tokens = len(tokenizer.encode("the cat " * 9 + "sat a"))
    assert make("full attention", max_length=tokens - 1).loglikelihood([request], True)
    with pytest.raises(InvalidInputError):
        make("full attention", max_length=tokens - 2).loglikelihood([request], True)


@pytest.mark.parametrize("kind", ["begins anew", "a cache of its own", "no cache"])
def test_a_model_that_cannot_go_on_exactly_is_refused(
    make: Callable[..., Any], scored: list[Instance], kind: str
) -> None:
    model = make(kind)
    name = r"MiniMaxCache" if kind == "a cache of its own" else type(model.model).__name__
    with pytest.raises(CacheError, match=f"{name}.*Use --model hf"):
        model.loglikelihood(scored, disable_tqdm=True)


def test_a_model_with_an_encoder_is_refused(tokenizer: Any) -> None:
    config = transformers.T5Config(
        vocab_size=len(tokenizer), d_model=16, d_kv=4, d_ff=16, num_layers=1, num_heads=2
    )
    with pytest.raises(InvalidInputError, match=r"'t5' has an encoder\. Use --model hf"):
        SharedHFLM(pretrained=transformers.T5ForConditionalGeneration(config), tokenizer=tokenizer)


@pytest.mark.parametrize("chunk", [0, -3, "many", "1.5"])
def test_a_chunk_is_a_number_of_tokens(chunk: Any) -> None:
    with pytest.raises(InvalidInputError, match="prefill_chunk"):
        SharedHFLM(prefill_chunk=chunk)


def limit_memory(monkeypatch: pytest.MonkeyPatch, model: Any, tokens: int) -> list[int]:
    """Let a model fail halfway through on more than ``tokens`` tokens at once."""
    sizes: list[int] = []
    attention = model.model.model.layers[2].forward

    def fail(hidden: Any, *args: Any, **options: Any) -> Any:
        sizes.append(hidden.shape[0] * hidden.shape[1])
        if sizes[-1] > tokens:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried too much")
        return attention(hidden, *args, **options)

    monkeypatch.setattr(model.model.model.layers[2], "forward", fail)
    return sizes


@pytest.mark.parametrize("memory", [1000, 8])
def test_the_questions_of_a_context_are_read_in_one_row_while_there_is_memory(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    expected = make("full attention", HFLM).loglikelihood(ask_ten(), disable_tqdm=True)
    model = make("full attention")
    model.loglikelihood(ask_ten(), disable_tqdm=True)  # It is tried beforehand, in passes more.
    monkeypatch.setattr(reading, "LEAST_CHUNK", 1)
    sizes = limit_memory(monkeypatch, model, memory)
    found = model.loglikelihood(ask_ten(), disable_tqdm=True)
    assert [a for a, _ in found] == pytest.approx([a for a, _ in expected], abs=1e-4)
    assert len(sizes) < 5 if memory == 1000 else len(sizes) > 20


@pytest.mark.parametrize("kind", ["full attention", "sliding window"])
def test_a_batch_without_memory_is_halved(
    make: Callable[..., Any],
    scored: list[Instance],
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    expected = make(kind, HFLM, batch_size=16).loglikelihood(scored, disable_tqdm=True)
    model = make(kind, batch_size="auto")
    sizes = limit_memory(monkeypatch, model, 40)
    with caplog.at_level(logging.WARNING, logger="personamem"):
        found = model.loglikelihood(scored, disable_tqdm=True)
    assert max(sizes) > 40
    assert "Out of memory" in caplog.text
    assert [a for a, _ in found] == pytest.approx([a for a, _ in expected], abs=1e-4)


def ask_ten() -> list[Instance]:
    """Return ten questions about one short context."""
    return [
        Instance("loglikelihood", {}, (f"the cat sat {name} the cat sat on the cat", " a"), number)
        for number, name in enumerate("bcdefghijk")
    ]


def test_a_batch_of_questions_without_memory_is_halved_and_none_is_lost(
    make: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # The context fits by itself, so it is the questions together that do not.
    requests = ask_ten()
    expected = make("full attention", HFLM).loglikelihood(requests, disable_tqdm=True)
    model = make("full attention", batch_size=10)
    limit_memory(monkeypatch, model, 30)
    with caplog.at_level(logging.WARNING, logger="personamem"):
        found = model.loglikelihood(requests, disable_tqdm=True)
    assert "questions at once" in caplog.text
    assert [a for a, _ in found] == pytest.approx([a for a, _ in expected], abs=1e-4)


def test_truncation_is_that_of_hf_where_it_is_asked_for(
    make: Callable[..., Any], prompts: list[str]
) -> None:
    requests = [Instance("loglikelihood", {}, (prompt, " a"), 0) for prompt in prompts[:4]]
    expected = make("full attention", HFLM, max_length=40).loglikelihood(requests, True)
    found = make("full attention", max_length=40, truncation=True).loglikelihood(requests, True)
    assert [a for a, _ in found] == pytest.approx([a for a, _ in expected], abs=1e-4)


def test_no_memory_at_all_is_an_error_that_names_the_tokens(
    make: Callable[..., Any], scored: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make("full attention")
    limit_memory(monkeypatch, model, 0)
    with pytest.raises(OutOfMemoryError, match=r"no memory to read \d+ tokens after 0 tokens"):
        model.loglikelihood(scored, disable_tqdm=True)


def test_other_errors_of_a_model_are_its_own(
    make: Callable[..., Any], scored: list[Instance], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make("full attention")

    def fail(*args: Any, **options: Any) -> Any:
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(model.model, "forward", fail)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        model.loglikelihood(scored, disable_tqdm=True)


def test_mixed_precision_is_that_of_hf(make: Callable[..., Any], scored: list[Instance]) -> None:
    options = {"mixed_precision_dtype": "bfloat16", "softmax_dtype": "float32"}
    expected = make("full attention", HFLM, batch_size=16, **options).loglikelihood(scored, True)
    found = make("full attention", **options).loglikelihood(scored, disable_tqdm=True)
    differences = [abs(a - b) for (a, _), (b, _) in zip(found, expected, strict=True)]
    assert torch.tensor(differences).median() < 0.1
