"""Models of lm-eval, wrapped as personamem eval wraps them: the same answers as without."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chat_server import serve_chat

from personamem.tasks.models.replies import RequestFailedError
from personamem.tasks.models.wrapping import wrap_model

Evaluate = Callable[..., list[dict[str, Any]]]


@pytest.fixture(autouse=True)
def _registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """lm-eval's models are what they were, when a test is over."""
    import lm_eval.models
    from lm_eval.api.registry import model_registry

    assert lm_eval.models
    monkeypatch.setattr(model_registry, "_objs", dict(model_registry._objs))


@pytest.fixture
def evaluate(make_task: Callable[..., Any], ours: Path) -> Evaluate:
    import lm_eval

    def run(model: Any, task: str, chat: bool) -> list[dict[str, Any]]:
        made = make_task(task, ours)
        if made.OUTPUT_TYPE == "generate_until":
            made.set_config("generation_kwargs", {"max_gen_toks": 4}, update=True)
        report = lm_eval.evaluate(
            lm=model,
            task_dict={"tasks": {task: made}, "groups": {}},
            apply_chat_template=chat,
            bootstrap_iters=0,
            limit=4,
        )
        samples: list[dict[str, Any]] = report["samples"][task]
        return samples

    return run


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("task", ["personamem_4k", "personamem_4k_ll"])
def test_a_transformers_model_answers_the_same(
    evaluate: Evaluate, tiny_model: Path, task: str, chat: bool
) -> None:
    from lm_eval.api.registry import get_model
    from lm_eval.models.huggingface import HFLM

    assert wrap_model("hf", "tested") is get_model("hf")
    options = {"pretrained": str(tiny_model), "device": "cpu", "dtype": "float32"}
    found = evaluate(get_model("hf")(**options), task, chat)
    expected = evaluate(HFLM(**options), task, chat)
    assert [sample["resps"] for sample in found] == [sample["resps"] for sample in expected]
    assert all(isinstance(sample["arguments"][0][0], str) for sample in expected)
    assert not any(isinstance(sample["arguments"][0][0], str) for sample in found)


def test_a_completions_server_ranks_letters_the_same(evaluate: Evaluate, tiny_model: Path) -> None:
    from lm_eval.models.openai_completions import LocalCompletionsAPI

    wrapped = wrap_model("local-completions", "tested")
    with serve_chat() as server:
        options: dict[str, Any] = {
            "base_url": server.url,
            "model": "m",
            "tokenizer": str(tiny_model),
            "tokenizer_backend": "huggingface",
        }
        task = "personamem_4k_ll"
        expected = evaluate(LocalCompletionsAPI(**options), task, False)
        for batch in (1, 3):
            start = len(server.bodies)
            found = evaluate(wrapped(**options, batch_size=batch), task, False)
            assert [s["resps"] for s in found] == [s["resps"] for s in expected]
            if batch == 1:
                # Four letters of one prompt after the other, prompts by context and end.
                starts = [tuple(body["prompt"][0][:-2]) for body in server.bodies[start:]]
                assert all(len(set(starts[i : i + 4])) == 1 for i in range(0, 16, 4))
                lengths = [len(starts[i]) for i in range(0, 12, 4)]
                assert lengths == sorted(lengths)
        server.always = "no echo"
        with pytest.raises(RequestFailedError, match=r"log-probabilities of 1 of \d+ prompt"):
            evaluate(wrapped(**options, max_retries=1), task, False)
