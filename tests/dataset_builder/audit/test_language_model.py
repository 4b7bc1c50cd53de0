"""A real language model without context: the numbers of lm-eval's own task, and clear errors."""

import sys
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.audit.chance import credit
from personamem.dataset_builder.audit.language_model import (
    parse_model_folder,
    score_language_model,
)
from personamem.dataset_builder.core.items import Item, make_items
from personamem.dataset_builder.families.personamem.audit.sources import read_split
from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import InvalidInputError

QUESTIONS = 4


def make_item(question: str, gold: int = 0) -> Item:
    options = ("Paris.", "A spoon.", "Seventeen.", "It rained.")
    return Item("q1", "type", question, options, gold, "g")


@pytest.mark.model
def test_scores_are_those_of_the_task_without_context(
    smollm2_dir: Path, tiny_dataset: Path, project_root: Path
) -> None:
    import lm_eval
    from lm_eval.tasks import TaskManager

    data = read_split(tiny_dataset, "4k")
    items = {item.question_id: item for item in make_items(data.questions, data.annotations)}
    ordered = [
        items[question.question_id]
        for question in load_personamem(tiny_dataset, "4k").ordered_questions()
    ]
    scores = score_language_model(smollm2_dir, ordered, limit=QUESTIONS)

    manager = TaskManager(
        include_path=str(project_root / "tasks"),
        include_defaults=False,
        metadata={"dataset": str(tiny_dataset)},
    )
    report = lm_eval.simple_evaluate(
        "hf",
        model_args={"pretrained": str(smollm2_dir), "device": "cpu"},
        tasks=["personamem_4k_nocontext_ll"],
        task_manager=manager,
        apply_chat_template=True,
        limit=QUESTIONS,
        bootstrap_iters=0,
    )
    samples = report["samples"]["personamem_4k_nocontext_ll"]
    assert len(samples) == len(scores) == QUESTIONS
    for sample in samples:
        expected = [response[0] for response in sample["filtered_resps"]]
        assert scores[sample["doc_id"]].tolist() == pytest.approx(expected, abs=1e-3)
    accuracy = sum(credit(ordered[:QUESTIONS], scores)) / QUESTIONS
    assert accuracy == report["results"]["personamem_4k_nocontext_ll"]["acc,none"]


@pytest.mark.model
def test_equal_questions_get_equal_scores_from_one_pass(
    smollm2_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lm_eval.models.huggingface import HFLM

    passes: list[int] = []
    forward = HFLM._model_call

    def count(self: Any, inputs: Any, **kwargs: Any) -> Any:
        passes.append(len(inputs))
        return forward(self, inputs, **kwargs)

    monkeypatch.setattr(HFLM, "_model_call", count)
    quad = [make_item("What is the capital of France?", gold) for gold in range(4)]
    scores = score_language_model(smollm2_dir, [*quad, make_item("How was the weather?")])
    assert passes == [1, 1]
    assert all(row.shape == (4,) for row in scores)
    assert {tuple(row) for row in scores[:4]} == {tuple(scores[0])}
    assert tuple(scores[4]) != tuple(scores[0])
    assert sum(credit(quad, scores[:4])) == 1


@pytest.mark.model
def test_a_prompt_that_does_not_fit_is_named(smollm2_dir: Path) -> None:
    with pytest.raises(
        InvalidInputError, match=r"question q1: the prompt has [\d,]+ tokens.*8,192"
    ):
        score_language_model(smollm2_dir, [make_item("words and more words " * 10_000)])


def test_no_questions_need_no_model(tmp_path: Path) -> None:
    assert score_language_model(tmp_path, []) == []
    assert score_language_model(tmp_path, [make_item("What?")], limit=0) == []


@pytest.mark.parametrize("name", ["longest", "lm:", ""])
def test_another_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="Accepted: lm:FOLDER"):
        parse_model_folder(name)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"has no config\.json"):
        parse_model_folder(f"lm:{tmp_path}")
    with pytest.raises(InvalidInputError, match="is no folder"):
        parse_model_folder(f"lm:{tmp_path / 'missing'}")
    (tmp_path / "config.json").write_text("{}")
    assert parse_model_folder(f"lm:{tmp_path}") == tmp_path


@pytest.mark.parametrize("config", ["{}", "not json", '{"model_type": "llama"}'])
def test_a_broken_model_is_one_clear_error(tmp_path: Path, config: str) -> None:
    pytest.importorskip("torch")
    (tmp_path / "config.json").write_text(config)
    with pytest.raises(InvalidInputError, match="the model cannot be loaded"):
        score_language_model(tmp_path, [make_item("What?")])


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(InvalidInputError, match=r"pip install \"personamem\[hf\]\""):
        score_language_model(tmp_path, [make_item("What?")])
