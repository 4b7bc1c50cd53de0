"""What ``vllm-shared`` sends and what it makes of the answers; vLLM itself is a stand-in."""

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.model import CachingLM
from lm_eval.api.registry import model_registry

from personamem.loaders.formats.errors import InvalidInputError
from personamem.tasks.models import register_models

STAND_IN = Path(__file__).parents[2] / "fixtures" / "vllm_stand_in"
STORY = "Mira keeps bees on the roof of the library." * 12

pytestmark = pytest.mark.skipif(find_spec("vllm") is not None, reason="a real vllm is installed")


@pytest.fixture(scope="module")
def vllm() -> Iterator[Any]:
    """The stand-in, importable as ``vllm`` for the tests of this module."""
    before = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_registry, "_objs", dict(model_registry._objs))
        patch.syspath_prepend(str(STAND_IN))
        import vllm

        yield vllm
    ours = ("vllm", "ray", "personamem.tasks.models.vllm", "lm_eval.models.vllm")
    for name in set(sys.modules) - before:
        if name.startswith(ours):
            del sys.modules[name]


@pytest.fixture
def make_model(vllm: Any, tiny_model: Path) -> Callable[..., Any]:
    from personamem.tasks.models.vllm_shared import SharedVLLM

    return lambda **kwargs: SharedVLLM(str(tiny_model), **kwargs)


def make_replies(*prompts: str, **kwargs: Any) -> list[Instance]:
    options = {"until": [], "max_gen_toks": 4, **kwargs}
    return [
        Instance("generate_until", {}, (prompt, options), index, metadata=("task", index, 1))
        for index, prompt in enumerate(prompts)
    ]


def make_pairs(*pairs: tuple[str, str]) -> list[Instance]:
    return [
        Instance("loglikelihood", {}, pair, index, metadata=("task", index, 1))
        for index, pair in enumerate(pairs)
    ]


PROMPTS = ("b: two", "a: one and more", "b: one", "a: two", "a: one")
ORDERED = ("b: one", "b: two", "a: two", "a: one", "a: one and more")


def test_the_model_is_registered_where_vllm_is_installed(vllm: Any) -> None:
    assert "vllm-shared" in register_models()
    assert "vllm-shared" in register_models()
    assert "vllm-shared" in model_registry


def test_no_model_is_registered_without_its_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("personamem.tasks.models.find_spec", lambda _: None)
    assert register_models() == ()


def test_replies_come_in_the_order_of_the_requests(make_model: Any, vllm: Any) -> None:
    model = make_model(batch_size=3)
    replies = model.generate_until(make_replies(*PROMPTS), disable_tqdm=True)
    assert replies == [vllm.reply_to(model.tok_encode(prompt), 4) for prompt in PROMPTS]
    assert model.model.sent == [model.tok_encode(prompt) for prompt in ORDERED]
    assert model.model.most_running == 3


def test_no_more_is_sent_than_the_engine_can_take_up(make_model: Any) -> None:
    model = make_model()
    model.generate_until(make_replies(*(f"prompt {n}" for n in range(30))), disable_tqdm=True)
    assert model.model.most_running == 8


def test_replies_end_at_stop_strings(make_model: Any, vllm: Any) -> None:
    model = make_model()
    whole = vllm.reply_to(model.tok_encode("a: one"), 4)
    requests = make_replies("a: one", until=[whole[2]])
    assert model.generate_until(requests, disable_tqdm=True) == [whole.split(whole[2])[0]]


def score_directly(vllm: Any, model: Any, context: str, continuation: str) -> tuple[float, bool]:
    prompt, tokens = model._encode_pair(context, continuation)
    total, greedy = 0.0, True
    for token in tokens:
        likely = vllm.predict(prompt)
        total += likely[token]
        greedy &= likely[token] == max(likely)
        prompt = [*prompt, token]
    return total, greedy


def assert_scores(vllm: Any, model: Any, pairs: list[tuple[str, str]]) -> None:
    results = model.loglikelihood(make_pairs(*pairs), disable_tqdm=True)
    for (context, continuation), (likelihood, greedy) in zip(pairs, results, strict=True):
        expected = score_directly(vllm, model, context, continuation)
        assert (likelihood, greedy) == (pytest.approx(expected[0], abs=1e-9), expected[1])


def test_the_letters_of_a_context_are_one_request(make_model: Any, vllm: Any) -> None:
    model = make_model()
    contexts = (f"{STORY} B", f"{STORY} A")
    pairs = [(context, letter) for letter in "abcd" for context in contexts]
    assert_scores(vllm, model, pairs)
    assert model.model.sent == [model.tok_encode(context) for context in sorted(contexts)]


def test_the_likeliest_token_is_greedy(make_model: Any, vllm: Any) -> None:
    model = make_model()
    likely = vllm.predict(model.tok_encode(STORY + "A"))
    best = model.tokenizer.decode([likely.index(max(likely))])
    requests = make_pairs((STORY + "A", best), (STORY + "A", "b"))
    if model._encode_pair(STORY + "A", best)[1] == [likely.index(max(likely))]:
        assert [greedy for _, greedy in model.loglikelihood(requests, True)] == [True, False]


def test_longer_continuations_of_a_long_context_are_asked_token_by_token(
    make_model: Any, vllm: Any
) -> None:
    model = make_model()
    assert_scores(vllm, model, [(STORY * 2, text) for text in ("cat", "cap", "dog", "d")])
    assert len(model.model.sent) == 1 + len("ca") - 1 + len("c") + len("do")


def test_continuations_of_a_short_context_are_scored_as_prompts(
    make_model: Any, vllm: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    model = make_model()
    pairs = [("ab", "seven longer words than that"), ("ab", "xyz"), ("ab ", "blanks move")]
    assert_scores(vllm, model, pairs)
    assert len(model.model.sent) == 3
    assert "3 continuations were scored without a shared context." in caplog.text


def test_a_request_without_a_context_is_left_to_lm_eval(
    make_model: Any, vllm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model()

    def generate(requests: list[list[int]], generate: bool) -> list[Any]:
        params = vllm.SamplingParams(prompt_logprobs=1, max_tokens=1, detokenize=False)
        return [vllm.answer("0", tokens, params) for tokens in requests]

    monkeypatch.setattr(model, "_model_generate", generate)
    (blank, letter) = model.loglikelihood(make_pairs(("", "abc"), (STORY, "a")), True)
    first, *rest = model.tok_encode("abc")
    beginnings = [[model.prefix_token_id], [model.prefix_token_id, first]]
    assert blank[0] == pytest.approx(
        vllm.predict(beginnings[0])[first]
        + sum(
            vllm.predict([model.prefix_token_id, first, *rest[:end]])[token]
            for end, token in enumerate(rest)
        )
    )
    assert letter[0] == pytest.approx(score_directly(vllm, model, STORY, "a")[0])


@pytest.mark.parametrize("room", [0, -1])
def test_a_prompt_that_does_not_fit_is_an_error_with_both_numbers(
    make_model: Any, room: int
) -> None:
    length = len(make_model().tok_encode(STORY))
    generating = make_model(max_model_len=length + 4 + room)
    scoring = make_model(max_model_len=length + 1 + room)
    requests = make_replies("short", STORY), make_pairs(("short", "a"), (STORY, "a"))
    if room == 0:
        generating.generate_until(requests[0], disable_tqdm=True)
        scoring.loglikelihood(requests[1], disable_tqdm=True)
        return
    message = rf"task, document 1: the prompt has {length:,} tokens .* window {length + 3:,}\."
    with pytest.raises(InvalidInputError, match=message):
        generating.generate_until(requests[0], disable_tqdm=True)
    with pytest.raises(InvalidInputError, match=rf"{length:,} tokens .* window {length:,}\."):
        scoring.loglikelihood(requests[1], disable_tqdm=True)
    blank = make_pairs(("", STORY))
    with pytest.raises(InvalidInputError, match=rf"{length + 1:,} tokens .* window {length:,}\."):
        scoring.loglikelihood(blank, disable_tqdm=True)


@pytest.mark.parametrize("kind", ["generate_until", "loglikelihood"])
def test_a_run_that_was_stopped_goes_on_where_it_was(
    make_model: Any, tmp_path: Path, kind: str
) -> None:
    pairs = [(f"{STORY}{prompt}", letter) for prompt in PROMPTS for letter in "ab"]
    prompts = [prompt for prompt, _ in pairs[::2]]
    replies = kind == "generate_until"
    requests = make_replies(*prompts) if replies else make_pairs(*pairs)
    undisturbed = getattr(make_model(), kind)(requests)
    model = make_model()
    model.model.llm_engine.fail_after = 3
    with pytest.raises(KeyboardInterrupt):
        getattr(CachingLM(model, str(tmp_path / "cache.db")), kind)(requests)
    assert len(model.model.llm_engine.aborted) == 2
    assert not model.model.llm_engine.running
    resumed = make_model()
    assert getattr(CachingLM(resumed, str(tmp_path / "cache.db")), kind)(requests) == undisturbed
    assert len(resumed.model.sent) == 2


def test_arguments_reach_vllm_and_the_prefix_cache_is_on(make_model: Any) -> None:
    model = make_model(tensor_parallel_size=2, gpu_memory_utilization=0.5, max_model_len=64)
    passed = model.model.kwargs
    assert passed["tensor_parallel_size"] == 2
    assert passed["gpu_memory_utilization"] == 0.5
    assert passed["max_model_len"] == 64
    assert passed["enable_prefix_caching"] is True
    with pytest.raises(InvalidInputError, match="enable_prefix_caching is False"):
        make_model(enable_prefix_caching=False)
    with pytest.raises(InvalidInputError, match="logprobs_mode is 'raw_logits'"):
        make_model(logprobs_mode="raw_logits")


def test_an_older_vllm_is_refused(
    make_model: Any, vllm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(vllm.LLM, "enqueue")
    with pytest.raises(InvalidInputError, match=r"vLLM 0\.32\.0, .* Accepted: 0\.32 or later"):
        make_model()


def test_every_replica_gets_neighbours_in_one_call(
    make_model: Any, vllm: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = make_model(data_parallel_size=2)
    calls: list[list[list[int]]] = []

    def generate(
        requests: list[list[int]], generate: bool, sampling_params: list[Any]
    ) -> list[Any]:
        calls.append(requests)
        pairs = zip(requests, sampling_params, strict=True)
        return [vllm.answer("0", tokens, params) for tokens, params in pairs]

    monkeypatch.setattr(model, "_model_generate", generate)
    replies = model.generate_until(make_replies(*PROMPTS), disable_tqdm=True)
    assert replies == [vllm.reply_to(model.tok_encode(prompt), 4) for prompt in PROMPTS]
    (requests,) = calls
    ordered = [model.tok_encode(prompt) for prompt in ORDERED]
    assert [*requests[::2], *requests[1::2]] == ordered


def test_what_the_cache_was_good_for_is_counted(
    make_model: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    model = make_model()
    model.generate_until(make_replies("abcd", "abxy", "ab"), disable_tqdm=True)
    use = model.prefix_use
    assert (use.prompts, use.shared, use.cached) == (10, 4, 3)
    model.generate_until(make_replies("abcd"), disable_tqdm=True)
    assert (use.prompts, use.shared, use.cached) == (14, 4, 4)
    assert "vLLM had 1 of 4 prompt tokens cached; earlier prompts begin with 0" in caplog.text
