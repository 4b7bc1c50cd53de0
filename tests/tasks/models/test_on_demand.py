"""Prompts on demand: the same results as with all prompts at once, a bounded part of them there."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.model import LM

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.prompting.references import PromptReference
from personamem.tasks.models.on_demand import PromptsOnDemand, plan_chunks
from personamem.tasks.models.wrapping import identify_model, wrap_model


class Scorer(LM):
    """A model whose answer depends on every letter of the prompt."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[Any]] = []

    def loglikelihood(self, requests: list[Instance], **_: Any) -> list[Any]:
        self.seen.append([request.args[0] for request in requests])
        return [(-random.Random("".join(r.args)).random(), False) for r in requests]

    def generate_until(self, requests: list[Instance], **_: Any) -> list[Any]:
        self.seen.append([request.args[0] for request in requests])
        replies = []
        for request in requests:
            prompt, settings = request.args
            reply = f"({random.Random(prompt).choice('abcd')})"
            settings.pop("until")  # Some models take the settings apart.
            self.cache_hook.add_partial("generate_until", (prompt, {"other": 1}), reply)
            replies.append(reply)
        return replies

    def loglikelihood_rolling(self, requests: list[Instance], **_: Any) -> list[Any]:
        raise NotImplementedError


class OnDemand(PromptsOnDemand, Scorer):
    identity = "scorer"


@pytest.fixture
def evaluate(tasks_folder: Path, ours: Path) -> Callable[..., dict[str, Any]]:
    import lm_eval
    from lm_eval.api.model import CachingLM
    from lm_eval.tasks import TaskManager

    manager = TaskManager(
        include_path=str(tasks_folder), include_defaults=False, metadata={"dataset": str(ours)}
    )

    def run(model: Any, task: str, cache: str = "", **options: Any) -> dict[str, Any]:
        lm = CachingLM(model, cache) if cache else model
        report: dict[str, Any] = lm_eval.evaluate(
            lm=lm, task_dict=manager.load([task]), bootstrap_iters=0, **options
        )
        return report

    return run


SUFFIXES = ["", "_ll", "_nocontext", "_nocontext_ll", "_oracle", "_oracle_ll"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("letters", [1, 1500, 10**9])
def test_results_are_those_of_all_prompts_at_once(
    evaluate: Callable[..., dict[str, Any]], suffix: str, letters: int
) -> None:
    task = f"personamem_4k{suffix}"
    plain, lazy = Scorer(), OnDemand()
    lazy.chunk_characters = letters  # type: ignore[misc]
    expected, found = evaluate(plain, task), evaluate(lazy, task)
    assert found["results"] == expected["results"]
    (prompts,) = plain.seen
    assert [prompt for chunk in lazy.seen for prompt in chunk] == prompts
    assert len(lazy.seen) in {1: [8], 1500: range(2, 9), 10**9: [1]}[letters]
    for ours, theirs in zip(found["samples"][task], expected["samples"][task], strict=True):
        assert ours["resps"] == theirs["resps"]
        reference = ours["arguments"][0][0]
        assert isinstance(reference, PromptReference)
        assert reference["shared_context_id"] == ours["doc"]["shared_context_id"]
        assert reference["end_index"] == ours["doc"]["end_index_in_shared_context"]
        assert len(str(dict(reference))) < 600
    hashes = {sample["prompt_hash"] for sample in found["samples"][task]}
    assert len(hashes) == 8


def test_a_prompt_is_made_once_for_its_four_letters(
    evaluate: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    render = PromptReference.render

    def count(self: PromptReference) -> Any:
        made.append(self["question_id"])
        return render(self)

    monkeypatch.setattr(PromptReference, "render", count)
    model = OnDemand()
    evaluate(model, "personamem_4k_ll")
    assert len(made) == len(set(made)) == 8
    (prompts,) = model.seen
    assert len({id(prompt) for prompt in prompts}) == 8


def test_references_stay_out_of_the_cache_of_requests(
    evaluate: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lm_eval.caching.cache.PATH", str(tmp_path))
    first, again = (
        evaluate(OnDemand(), "personamem_4k", cache_requests=True)["results"] for _ in range(2)
    )
    assert again == first
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("limit", [3, 5, 0.5])
def test_a_limit_takes_whole_contexts_first(
    evaluate: Callable[..., dict[str, Any]], suffix: str, limit: float
) -> None:
    task = f"personamem_4k{suffix}"
    docs = [sample["doc"] for sample in evaluate(OnDemand(), task, limit=limit)["samples"][task]]
    everything = [sample["doc"] for sample in evaluate(OnDemand(), task)["samples"][task]]
    assert docs == everything[: int(limit if limit > 1 else 8 * limit)]
    contexts = [doc["shared_context_id"] for doc in docs]
    # All but the last context are there with all of their questions.
    for context in set(contexts) - {contexts[-1]}:
        whole = [doc for doc in everything if doc["shared_context_id"] == context]
        assert contexts.count(context) == len(whole)
    ends = [(doc["shared_context_id"], doc["end_index_in_shared_context"]) for doc in docs]
    assert ends == sorted(ends)


@pytest.mark.parametrize("suffix", ["", "_ll"])
def test_answers_are_kept_as_they_come_and_found_again(
    evaluate: Callable[..., dict[str, Any]], suffix: str, tmp_path: Path
) -> None:
    task = f"personamem_4k{suffix}"
    cache = str(tmp_path / "answers")

    class Dies(Scorer):
        def loglikelihood(self, requests: list[Instance], **options: Any) -> list[Any]:
            if len(self.seen) == 2:
                raise InterruptedError
            return super().loglikelihood(requests, **options)

        def generate_until(self, requests: list[Instance], **options: Any) -> list[Any]:
            if len(self.seen) == 2:
                raise InterruptedError
            return super().generate_until(requests, **options)

    class DiesOnDemand(PromptsOnDemand, Dies):
        chunk_characters = 1
        identity = "scorer"

    expected = evaluate(OnDemand(), task)
    with pytest.raises(InterruptedError):
        evaluate(DiesOnDemand(), task, cache=cache)
    model = OnDemand()
    found = evaluate(model, task, cache=cache)
    assert found["results"] == expected["results"]
    assert sum(len(chunk) for chunk in model.seen) == (6 if suffix == "" else 24)

    other = OnDemand()
    other.identity = "another model"  # type: ignore[misc]
    evaluate(other, task, cache=cache)
    assert sum(len(chunk) for chunk in other.seen) == (8 if suffix == "" else 32)


def test_a_model_that_takes_no_references_gets_texts(
    evaluate: Callable[..., dict[str, Any]],
) -> None:
    model = Scorer()
    evaluate(model, "personamem_4k")
    assert all(isinstance(prompt, str) for prompt in model.seen[0])


def test_a_prompt_that_a_template_would_damage_is_an_error_when_it_is_made(
    evaluate: Callable[..., dict[str, Any]],
) -> None:
    class Eater(OnDemand):
        tokenizer_name = "eater"

        def chat_template(self, *_: Any) -> str:
            return ""

        def apply_chat_template(
            self, messages: list[dict[str, str]], add_generation_prompt: bool = True
        ) -> str:
            return "".join(f"<{m['role']}>{m['content']}" for m in messages).replace("jam", "")

    with pytest.raises(InvalidInputError, match="drops or changes text of question"):
        evaluate(Eater(), "personamem_4k", apply_chat_template=True)


def make_request(context: str, letters: int, **settings: Any) -> Instance:
    reference = PromptReference({"shared_context_id": context}, letters, lambda: "")
    return Instance("generate_until", {}, (reference, settings), 0)


def test_chunks_hold_whole_contexts_where_they_fit() -> None:
    sizes = {"a": 3, "b": 3, "c": 12, "d": 2}
    requests = [make_request(name, size) for name, size in sizes.items() for _ in range(2)]
    assert plan_chunks(requests, 12) == [[0, 1, 2, 3], [4], [5], [6, 7]]
    assert plan_chunks(requests, 9) == [[0, 1], [2, 3], [4], [5], [6, 7]]
    assert plan_chunks(requests, 6) == [[0, 1], [2, 3], [4], [5], [6, 7]]
    assert plan_chunks(requests, 10**6) == [list(range(8))]
    assert plan_chunks([], 10) == []


def test_chunks_keep_other_settings_apart_and_leave_plain_requests_out() -> None:
    requests = [
        make_request("a", 1, stop=1),
        make_request("a", 1, stop=2),
        Instance("generate_until", {}, ("text", {}), 0),
        make_request("a", 1, stop=2),
    ]
    assert plan_chunks(requests, 100) == [[0], [1, 3]]


def test_plain_requests_run_beside_references() -> None:
    model = OnDemand()
    reference = PromptReference({"shared_context_id": "a"}, 3, lambda: "made")
    requests = [
        Instance("loglikelihood", {}, ("plain", " x"), 0),
        Instance("loglikelihood", {}, (reference, " x"), 0),
        Instance("loglikelihood", {}, ("simple", " x"), 0),
    ]
    expected = Scorer().loglikelihood(
        [Instance("loglikelihood", {}, (text, " x"), 0) for text in ("plain", "made", "simple")]
    )
    assert model.loglikelihood(requests) == expected
    assert model.seen == [["plain", "simple"], ["made"]]


def test_the_identity_is_of_the_arguments_and_of_the_files(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("1")
    first = identify_model("hf", {"pretrained": str(tmp_path), "dtype": "float32"})
    assert first == identify_model("hf", {"dtype": "float32", "pretrained": str(tmp_path)})
    assert first != identify_model("vllm", {"pretrained": str(tmp_path), "dtype": "float32"})
    assert first != identify_model("hf", {"pretrained": str(tmp_path)})
    same = identify_model("local-chat-completions", {"model": "m"})
    assert same == identify_model("local-chat-completions", {"model": "m", "num_concurrent": 8})
    (tmp_path / "weights").write_text("12")
    assert first != identify_model("hf", {"pretrained": str(tmp_path), "dtype": "float32"})


def test_unknown_models_are_named() -> None:
    with pytest.raises(InvalidInputError, match=r"Unknown model 'hff'\. Did you mean 'hf'"):
        wrap_model("hff", "")
