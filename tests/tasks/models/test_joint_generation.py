"""Replies that are decoded together, against those of ``hf``."""

import logging
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from tiny_models import PACKED, WORDS

from personamem.tasks.models import hf_shared
from personamem.tasks.models.hf_shared import SharedHFLM
from personamem.tasks.models.packed_cache import ContinuationCache
from personamem.tasks.models.packed_reading import PackedReader
from personamem.tasks.models.reading import OutOfMemoryError

pytestmark = pytest.mark.system

TOKENS = 24


@pytest.fixture
def make(make_weights: Callable[[str], Any], tokenizer: Any) -> Callable[..., Any]:
    """Return a function that makes an lm-eval model of tiny weights."""

    def make_model(kind: str, cls: type = SharedHFLM, **options: Any) -> Any:
        return cls(pretrained=make_weights(kind), tokenizer=tokenizer, max_length=2000, **options)

    return make_model


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rows of every pass in which the next tokens of replies are read."""
    rows: list[int] = []
    read_next = PackedReader.read_next

    def watch(self: Any, tokens: Any, kept: Any) -> Any:
        rows.append(len(tokens))
        return read_next(self, tokens, kept)

    monkeypatch.setattr(PackedReader, "read_next", watch)
    return rows


def ask(prompts: list[str], *options: dict[str, Any]) -> list[Instance]:
    """Return requests for replies, with one of the options after the other."""
    chosen = options or ({},)
    return [
        Instance(
            "generate_until",
            {},
            (prompt, {"until": [], "max_gen_toks": TOKENS, **chosen[number % len(chosen)]}),
            number,
        )
        for number, prompt in enumerate(prompts)
    ]


def reply(model: Any, requests: list[Instance]) -> list[str]:
    replies: list[str] = model.generate_until(requests, disable_tqdm=True)
    return replies


@pytest.mark.parametrize("chunk", [1024, 16])
@pytest.mark.parametrize("kind", PACKED)
def test_replies_at_many_places_are_those_of_hf(
    make: Callable[..., Any], prompts: list[str], steps: list[int], kind: str, chunk: int
) -> None:
    requests = ask(prompts)
    model = make(kind, prefill_chunk=chunk)
    assert reply(model, requests) == reply(make(kind, HFLM), requests)
    assert model.stats.computed <= 1.05 * model.stats.distinct
    if chunk == 1024:
        # Two contexts, and what is tried beforehand.
        assert len(steps) == 2 * (TOKENS - 1) + 1
        assert sum(steps) == len(prompts) * (TOKENS - 1) + 3


def test_each_reply_ends_at_its_own_step(
    make: Callable[..., Any], prompts: list[str], steps: list[int]
) -> None:
    hf = make("full attention", HFLM)
    whole = reply(hf, ask(prompts))
    draw = random.Random(0)
    options: list[dict[str, Any]] = []
    for number, text in enumerate(whole):
        written = hf.tok_encode(text)
        at = draw.randrange(1, len(written))
        options.append(
            (
                {"until": [text[len(text) // 2 :][:3]]},
                {"eos_token_id": [2, written[at]]},
                {"max_gen_toks": 1 + number},
                {"until": [text[2:5], text[4:6]], "max_gen_toks": 40},
                {"repetition_penalty": 1.4, "no_repeat_ngram_size": 2},
                {"min_new_tokens": 8, "eos_token_id": [written[1]]},
            )[number % 6]
        )
    requests = ask(prompts, *options)
    expected = reply(hf, requests)
    steps.clear()
    assert reply(make("full attention"), requests) == expected
    assert len({len(hf.tok_encode(text)) for text in expected}) > 6
    # Rows whose replies have ended are given up once they are half of all.
    assert len(set(steps)) > 2


def test_the_end_of_the_text_ends_a_reply(make: Callable[..., Any], prompts: list[str]) -> None:
    hf, shared = make("full attention", HFLM), make("full attention")
    likely = hf.tok_encode(reply(hf, ask(prompts[:1]))[0])[3]
    for model in (hf, shared):
        model.model.generation_config.eos_token_id = likely
    try:
        replies = reply(hf, ask(prompts))
        assert reply(shared, ask(prompts)) == replies
    finally:
        hf.model.generation_config.eos_token_id = 2
    assert min(map(len, replies)) < max(map(len, replies))


def test_prompts_that_share_nothing_are_decoded_together_too(
    make: Callable[..., Any], steps: list[int]
) -> None:
    prompts = [f"{word} {' '.join(WORDS[:8])} {word}" for word in WORDS[3:9]]
    requests = ask(prompts)
    assert reply(make("full attention"), requests) == reply(make("full attention", HFLM), requests)
    assert max(steps) == len(prompts)


def test_a_prompt_asked_often_is_decoded_once(
    make: Callable[..., Any], prompts: list[str], steps: list[int]
) -> None:
    requests = ask([*prompts[:2] * 4])
    model = make("full attention")
    reply(model, requests[:1])
    steps.clear()
    assert reply(model, requests) == reply(make("full attention", HFLM), requests)
    assert sum(steps) == 2 * (TOKENS - 1)


def test_long_prompts_of_their_own_are_contexts_of_their_own(
    make: Callable[..., Any], prompts: list[str], steps: list[int]
) -> None:
    # Two beside the long one share more than is read twice.
    draw = random.Random(3)
    long = " ".join(draw.choice(WORDS) for _ in range(900))
    other = " ".join(draw.choice(WORDS) for _ in range(600))
    asked = [long, f"{long} tea", *(f"cat {other} {end} sat" for end in WORDS[:3])]
    requests = ask(asked, {"max_gen_toks": 6})
    model = make("full attention", prefill_chunk=2000)
    assert reply(model, requests) == reply(make("full attention", HFLM), requests)
    assert sorted(steps[1:]) == [2] * 5 + [3] * 5
    assert model.stats.computed <= 1.05 * model.stats.distinct


def test_samples_are_drawn_one_by_one(
    make: Callable[..., Any], prompts: list[str], steps: list[int]
) -> None:
    requests = ask(prompts[:3], {"do_sample": True, "temperature": 0.8, "max_gen_toks": 5}, {})
    model = make("full attention")
    torch.manual_seed(0)
    replies = reply(model, requests)
    assert len(steps) == 1  # What is tried beforehand.
    assert replies[1] == reply(make("full attention", HFLM), requests[1:2])[0]
    assert model.stats.computed == model.stats.distinct


def test_a_model_with_a_sliding_window_decodes_one_by_one(
    make: Callable[..., Any], prompts: list[str], steps: list[int]
) -> None:
    requests = ask(prompts[:5])
    assert reply(make("sliding window"), requests) == reply(make("sliding window", HFLM), requests)
    assert steps == []


def test_no_more_are_decoded_at_once_than_there_is_memory_for(
    make: Callable[..., Any],
    prompts: list[str],
    steps: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = make("full attention")
    token = 4 * 2 * 2 * 8 * 4  # Layers, keys and values, groups, size, bytes.
    monkeypatch.setattr(hf_shared, "measure_free_memory", lambda device: 2 * 150 * token)
    requests = ask(prompts)
    assert reply(model, requests) == reply(make("full attention", HFLM), requests)
    assert 1 < max(steps[1:]) <= 150 // TOKENS


def test_a_batch_without_memory_is_halved_and_no_reply_is_lost_or_given_twice(
    make: Callable[..., Any],
    prompts: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    requests = ask(prompts, {"max_gen_toks": 3}, {"max_gen_toks": 9})
    expected = reply(make("full attention", HFLM), requests)
    model = make("full attention")
    reply(model, requests[:1])  # It is tried beforehand.
    append = ContinuationCache.append

    def fail(self: Any, layer: int, *states: Any) -> Any:
        if layer == 2 and len(self.ends) > 2 and int(self.lengths.max()) > 12:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried too much")
        return append(self, layer, *states)

    kept: list[int] = []

    class Hook:
        def add_partial(self, kind: str, request: Any, answer: Any) -> None:
            kept.append(id(request))

    model.set_cache_hook(Hook())
    monkeypatch.setattr(ContinuationCache, "append", fail)
    with caplog.at_level(logging.WARNING, logger="personamem"):
        assert reply(model, requests) == expected
    assert "Out of memory: decoding" in caplog.text
    assert len(kept) == len(set(kept)) == len(requests)


def test_no_memory_for_one_reply_is_an_error(
    make: Callable[..., Any], prompts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make("full attention")
    reply(model, ask(prompts[:1]))

    def fail(*_: Any) -> Any:
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried too much")

    monkeypatch.setattr(ContinuationCache, "append", fail)
    with pytest.raises(OutOfMemoryError, match="no memory to read"):
        reply(model, ask(prompts))
