"""Answers in their places, and what happens when one is missing."""

from collections.abc import Callable
from typing import Any

import pytest
from lm_eval.api.instance import Instance

from personamem.tasks.models.generations import GenerationReader
from personamem.tasks.models.hf_shared import SharedHFLM
from personamem.tasks.models.joint_generation import JointGenerator
from personamem.tasks.models.likelihoods import LikelihoodReader
from personamem.tasks.models.requests import AnswerSheet, MissingAnswerError


def make_requests(kind: str, *more: Any) -> list[Instance]:
    ends = ("on a mat", "while tea", "over hills")
    prompts = [f"the cat sat while seven old dogs ran for rain {end}" for end in ends]
    return [
        Instance(kind, {}, (prompt, *more), number, metadata=("riddles", 10 + number, 1))
        for number, prompt in enumerate(prompts)
    ]


def test_answers_come_in_the_order_of_the_requests() -> None:
    sheet = AnswerSheet[str](make_requests("generate_until"))
    for number in (2, 0, 1):
        sheet.enter(number, str(number))
    assert sheet.collect() == ["0", "1", "2"]


def test_a_missing_answer_is_an_error_that_names_the_request() -> None:
    sheet = AnswerSheet[str](make_requests("generate_until"))
    sheet.enter(0, "")
    with pytest.raises(MissingAnswerError, match=r"riddles, document 11: .*2 of 3 requests"):
        sheet.collect()


@pytest.mark.parametrize(
    ("kind", "reader"),
    [
        ("full attention", LikelihoodReader),
        ("sliding window", LikelihoodReader),
        ("full attention", JointGenerator),
        ("sliding window", GenerationReader),
    ],
)
def test_a_model_that_forgets_a_request_returns_nothing(
    make_weights: Callable[[str], Any],
    tokenizer: Any,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    reader: type,
) -> None:
    make = reader.__init__

    def forget(self: Any, *args: Any, **options: Any) -> None:
        make(self, *args, **options)
        report = self._report
        self._report = lambda number, answer: number == 1 or report(number, answer)

    monkeypatch.setattr(reader, "__init__", forget)
    model = SharedHFLM(pretrained=make_weights(kind), tokenizer=tokenizer, max_length=200)
    method: str
    more: Any
    method, more = "generate_until", {"until": [], "max_gen_toks": 3}
    if reader is LikelihoodReader:
        method, more = "loglikelihood", " a"
    with pytest.raises(MissingAnswerError, match=r"riddles, document 11: the model gave no answer"):
        getattr(model, method)(make_requests(method, more), disable_tqdm=True)
