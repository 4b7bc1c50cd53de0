"""Samples that lm-eval logged, and questions by id or number."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.families.samples import find_question, read_samples
from personamem.loaders.formats.errors import DatasetError, InvalidInputError

RANKED: dict[str, Any] = {
    "doc": {"question_id": "q1"},
    "arguments": {"gen_args_0": {"arg_0": "prompt"}},
    "resps": [[["-1.5", "True"]], [["-0.5", "True"]], [["-inf", "False"]], [["-3", "False"]]],
    "filtered_resps": [[float("-inf"), False]],
    "acc": 1.0,
}


@dataclass(frozen=True)
class Named:
    question_id: str


QUESTIONS = [Named("alpha-1"), Named("7"), Named("beta-2")]


def test_infinite_likelihoods_are_read(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps(RANKED) + "\n")
    assert "-Infinity" in path.read_text()
    sample = read_samples(path)["q1"]
    assert sample.right
    assert sample.describe() == "(b), by a -1.500, b -0.500, c -inf, d -3.000"


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "9" * 5_000, '{"a": "\\ud800"}', "{}", "null", "\n", "", '{"doc": 1', "\xff"],
)
def test_what_are_no_samples_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(text, "latin-1")
    with pytest.raises((InvalidInputError, DatasetError), match=r"samples\.jsonl"):
        read_samples(path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DatasetError, match="pipe is not a regular file"):
        read_samples(tmp_path / "pipe")
    with pytest.raises(DatasetError, match="nothing cannot be read"):
        read_samples(tmp_path / "nothing")


def test_a_question_goes_by_number_and_by_id() -> None:
    assert find_question(QUESTIONS, "2") is QUESTIONS[2]
    assert find_question(QUESTIONS, "beta-2") is QUESTIONS[2]
    assert find_question(QUESTIONS, "7") is QUESTIONS[1]


@pytest.mark.parametrize("wanted", ["3", "-1", "²", "٣", "9" * 5_000, "[/x]"])
def test_an_unknown_question_is_named(wanted: str) -> None:
    with pytest.raises(InvalidInputError, match="Accepted: a question id, or a number from 0 to 2"):
        find_question(QUESTIONS, wanted)


def test_the_nearest_id_is_suggested() -> None:
    with pytest.raises(InvalidInputError, match=r"'alfa-1'\. Did you mean 'alpha-1'\?"):
        find_question(QUESTIONS, "alfa-1")
