"""An engine on a Ray cluster: what it is given, what it gives back, and the real vLLM."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.llm import (
    Answer,
    AnswerStore,
    FailureKind,
    Request,
    ServerError,
    ray_engine,
)
from personamem.dataset_builder.llm.ray_engine import RayEngine, make_row, prepare
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.manifest import hash_file

pytestmark = pytest.mark.system

Run = Callable[..., subprocess.CompletedProcess[str]]

BUILD = ("personamem", "build", "--size", "4k", "--personas", "4", "--questions", "40")
BUILD += ("--family", "personamem", "--workers", "1", "--writer", "openai", "--max-tokens", "12")
ENGINE = ("--engine", "vllm", "--engine-args", "max_model_len=4096,enforce_eager=true")

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
needs_vllm = pytest.mark.skipif(
    find_spec("ray") is None or find_spec("vllm") is None,
    reason="vllm is not installed beside ray (see bench/setup_vllm_cpu.sh)",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        yield store


def make_requests(count: int, **fields: Any) -> list[Request]:
    return [
        Request("m", ({"role": "user", "content": f"prompt {number}"},), **fields)
        for number in range(count)
    ]


def stand_in(answer: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[..., Any]:
    """What takes the place of the pipeline: the same rows in, the same columns out."""
    return lambda self, ray, model: lambda dataset: dataset.map(answer)


@pytest.fixture
def as_if_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the engine think that vLLM is there."""
    monkeypatch.setattr(ray_engine, "find_spec", lambda name: name)


def test_vllm_gets_messages_sampling_and_the_schema() -> None:
    request = Request(
        "m",
        ({"role": "system", "content": "s"}, {"role": "user", "content": "é"}),
        {"temperature": 0.5, "max_completion_tokens": 9},
        {"type": "object", "required": ["b", "a"], "additionalProperties": False},
    )
    schema = '{"type": "object", "required": ["b", "a"], "additionalProperties": false}'
    assert prepare(make_row(request)) == {
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "é"}],
        "sampling_params": {
            "temperature": 0.5,
            "max_tokens": 9,
            "structured_outputs": {"json": schema},
        },
    }


@needs_ray
@pytest.mark.usefixtures("as_if_vllm")
def test_answers_come_back_to_their_requests(
    store: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(row: dict[str, Any]) -> dict[str, Any]:
        [message] = json.loads(row["messages"])
        number = int(message["content"].split()[1])
        error = {30: "ValueError: longer than the maximum model length", 31: "OSError: no"}
        return {
            "key": row["key"],
            "generated_text": f"answer {number}",
            "num_input_tokens": number,
            "num_generated_tokens": 8 + number % 2,
            "__inference_error__": error.get(number, ""),
        }

    monkeypatch.setattr(RayEngine, "_build_pipeline", stand_in(answer))
    requests = make_requests(40, parameters={"max_tokens": 9})
    filled = RayEngine().fill(requests, store)
    assert filled.progress.answered == 38
    for number, request in enumerate(requests):
        if number not in (30, 31):
            reason = "length" if number % 2 else "stop"
            told = Answer(f"answer {number}", reason, "m", number, 8 + number % 2, None)
            assert store.get(request.key) == told
    kinds = {failed.messages[0]["content"]: why.kind for failed, why in filled.failures}
    assert kinds == {"prompt 30": FailureKind.REFUSED, "prompt 31": FailureKind.UNANSWERED}


@needs_ray
@pytest.mark.usefixtures("as_if_vllm")
def test_an_engine_that_does_not_start_is_one_error(
    store: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(row: dict[str, Any]) -> dict[str, Any]:
        raise OSError("no such model")

    monkeypatch.setattr(RayEngine, "_build_pipeline", stand_in(fail))
    with pytest.raises(ServerError, match=r"does not run on the Ray cluster 'local': .*no such"):
        RayEngine().fill(make_requests(1), store)


@needs_ray
@pytest.mark.usefixtures("as_if_vllm")
def test_a_cluster_that_is_too_small_is_told(
    store: AnswerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Small:
        def cluster_resources(self) -> dict[str, float]:
            return {"CPU": 64.0, "GPU": 4.0}

    monkeypatch.setattr(ray_engine, "open_cluster", lambda *_: nullcontext(Small()))
    engine = RayEngine("auto", replicas=2, arguments={"tensor_parallel_size": 4})
    with pytest.raises(InvalidInputError, match=r"2 engines of 4 GPU each do not fit .* has 4"):
        engine.fill(make_requests(1), store)


@pytest.mark.skipif(find_spec("vllm") is not None, reason="vllm is installed")
def test_without_vllm_the_extra_is_named(store: AnswerStore) -> None:
    with pytest.raises(InvalidInputError, match=r"pip install 'personamem\[vllm,ray\]'"):
        RayEngine().fill(make_requests(1), store)


def test_what_cannot_be_is_refused(store: AnswerStore) -> None:
    with pytest.raises(InvalidInputError, match="replicas is 0"):
        RayEngine(replicas=0)
    with pytest.raises(InvalidInputError, match=r"tensor_parallel_size is 'two'. Accepted"):
        RayEngine(arguments={"tensor_parallel_size": "two"})
    with pytest.raises(InvalidInputError, match="Ray address 'nowhere' is not one"):
        RayEngine("nowhere")
    with pytest.raises(InvalidInputError, match="takes no budget"):
        RayEngine().fill(make_requests(1), store, budget=1.0)


@needs_vllm
@pytest.mark.model
def test_the_real_vllm_writes_a_dataset(run: Run, smollm2_dir: Path, tmp_path: Path) -> None:
    build = (*BUILD, "--model", smollm2_dir, "--store", tmp_path / "store")
    run(*build, *ENGINE, "--out", tmp_path / "out")
    chats = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["writer"]["items"][
        "chats"
    ]
    assert chats["written"] + chats["fallbacks"] == chats["total"] == 8
    assert "no answer" not in chats["refusals_by_reason"]
    with AnswerStore(tmp_path / "store") as store:
        answers = [outcome for _, outcome in store.items() if isinstance(outcome, Answer)]
    assert answers
    assert all(answer.text and answer.completion_tokens for answer in answers)
    run(*build, "--out", tmp_path / "again")
    files = sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [hash_file(path) for path in files] == [
        hash_file(tmp_path / "again" / path.relative_to(tmp_path / "out")) for path in files
    ]


@needs_vllm
def test_a_model_that_is_not_there_is_one_error(store: AnswerStore, tmp_path: Path) -> None:
    request = Request(str(tmp_path / "none"), ({"role": "user", "content": "?"},))
    with pytest.raises(ServerError, match="vLLM does not run on the Ray cluster 'local': "):
        RayEngine().fill([request], store)
