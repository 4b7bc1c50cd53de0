"""The gate of a build: what does not hold is not packaged."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from personamem.dataset_builder.core.findings import GateError
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.audit.counts import count_context
from personamem.dataset_builder.families.personamem.audit.gate import check_context, check_split
from personamem.dataset_builder.families.personamem.audit.sources import SplitSource, read_split
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.schema import ContextRecord, Question


@pytest.fixture(scope="module")
def source(tiny_dataset: Path) -> SplitSource:
    return read_split(tiny_dataset, "4k")


def pass_gate(source: SplitSource, questions: list[Question]) -> None:
    assert source.config is not None
    assert source.annotations is not None
    check_split(source.config, "4k", questions, source.annotations, source.contexts.ids)


def test_a_good_split_passes(source: SplitSource) -> None:
    pass_gate(source, list(source.questions))


@pytest.mark.parametrize(
    ("change", "check"),
    [
        (lambda first, other: replace(first, persona_id=other.persona_id), "quads"),
        (lambda first, other: replace(first, question_id=other.question_id), "question ids"),
        (lambda first, other: replace(first, options=("x", "x", "y", "z")), "distinct options"),
        (lambda first, other: replace(first, options=("x" * 9, "y", "z", "w")), "option lengths"),
        (lambda first, other: replace(first, question_type="other"), "coverage"),
        (lambda first, other: replace(first, shared_context_id="none"), "contexts of questions"),
    ],
)
def test_a_split_with_a_fault_is_refused(
    source: SplitSource, change: Callable[[Question, Question], Question], check: str
) -> None:
    assert source.annotations is not None
    first = source.questions[0]
    quad_id = source.annotations[first.question_id].quad_id
    other = next(
        question
        for question in source.questions[1:]
        if source.annotations[question.question_id].quad_id == quad_id
    )
    with pytest.raises(GateError, match=check):
        pass_gate(source, [change(first, other), *source.questions[1:]])


@pytest.mark.parametrize("words", ["over", "under"])
def test_a_context_outside_its_budget_is_refused(source: SplitSource, words: str) -> None:
    assert source.config is not None
    assert source.annotations is not None
    context_id = source.contexts.ids[0]
    read = source.contexts.read(context_id)
    messages = list(read.messages)
    messages[-1] = {
        "role": "assistant",
        "content": "And so on. " * 900 if words == "over" else "A.",
    }
    if words == "under":
        messages = messages[:20]
    record = ContextRecord(context_id, messages, read.session_starts, read.persona_id)
    with pytest.raises(GateError, match="budget"):
        check_context(source.config, "4k", record, count_context(record), [], {})


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("That is what suits you when she joins in in chess, and it is no secret.", "residue"),
        ("Write to somebody.real@company.com about it, and they will tell you more.", "personal"),
    ],
)
def test_a_context_with_text_that_an_audit_refuses_is_refused(
    text: str, check: str, source: SplitSource
) -> None:
    with pytest.raises(GateError, match=check):
        check_changed_context(source, 1, text)


def test_a_context_that_repeats_a_message_is_refused(source: SplitSource) -> None:
    long = "This very sentence stands here again, word for word, as often as it likes to."
    with pytest.raises(GateError, match="exact duplicates"):
        check_changed_context(source, 2, long)


def check_changed_context(source: SplitSource, number: int, text: str) -> None:
    """Pass a context through the gate whose last messages are ``text``."""
    assert source.config is not None
    read = source.contexts.read(source.contexts.ids[0])
    messages = list(read.messages)
    for index in range(-number, 0):
        messages[index] = {"role": "assistant", "content": text}
    record = replace(read, messages=messages, num_tokens=None, num_letters=None)
    check_context(source.config, "4k", record, count_context(record), [], {})


def test_a_build_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise GateError("no")

    monkeypatch.setattr("personamem.dataset_builder.families.personamem.build.check_split", refuse)
    with pytest.raises(GateError):
        build_dataset(
            make_config(families={"personamem": {"sizes": ("4k",), "personas": 4}}),
            tmp_path / "data",
            workers=1,
        )
    assert not (tmp_path / "data").exists()
