"""A store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from personamem.dataset_builder.llm import AnswerStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[AnswerStore]:
    with AnswerStore(tmp_path / "answers.sqlite") as opened:
        yield opened
