"""The second official release: found, joined, given letters, and its faults named."""

from collections.abc import Callable
from pathlib import Path

import pytest
from version2_release import Row, change_rows, write_release

from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.personamem.files import list_splits


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release", rows=24)


def test_a_release_is_read_like_any_other(release: Path) -> None:
    assert list_splits(release) == ["32k"]
    data = load_personamem(release, "32k")
    assert len(data.questions) == 24
    assert len(data.context_ids) == 4
    question = data.questions[5]
    assert question.question_type == "ask_to_forget"
    assert question.topic == "boats"
    assert question.context_length_in_tokens == 400
    assert question.distance_to_ref_in_tokens == 5
    messages = data.messages_for(question)
    assert len(messages) == 13
    assert messages[0] == {"role": "system", "content": "Persona 1 keeps bees."}
    assert not data.has_annotations


def test_letters_are_fixed_and_uniform(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", rows=400)
    first, again = (load_personamem(release, "32k").questions for _ in range(2))
    assert first == again
    counts = [sum(question.answer_index == index for question in first) for index in range(4)]
    assert min(counts) > 70


def drop_option(rows: list[Row]) -> None:
    rows[3]["incorrect_answers"] = '["one", "two"]'


def break_query(rows: list[Row]) -> None:
    rows[3]["user_query"] = "What now?"


def leave_the_folder(rows: list[Row]) -> None:
    rows[3]["chat_history_32k_link"] = "../../secret.json"


def lose_a_history(rows: list[Row]) -> None:
    rows[3]["chat_history_32k_link"] = "data/chat_history_32k/none.json"


def lose_a_column(rows: list[Row]) -> None:
    for row in rows:
        del row["pref_type"]


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (drop_option, r"row 4: incorrect_answers is .*list of 3 texts"),
        (break_query, r"row 4: user_query is 'What now\?'"),
        (leave_the_folder, r"'\.\./\.\./secret\.json' is no file of a dataset"),
        (lose_a_history, r"none\.json is missing"),
        (lose_a_column, r"lacks the columns pref_type"),
    ],
)
def test_faults_are_named(
    release: Path, break_it: Callable[[list[Row]], None], message: str
) -> None:
    change_rows(release, break_it)
    with pytest.raises(DatasetError, match=message):
        load_personamem(release, "32k")


def test_a_broken_history_is_named(release: Path) -> None:
    (release / "data" / "chat_history_32k" / "persona_2.json").write_text("{}")
    with pytest.raises(DatasetError, match=r"persona_2\.json is not a list of messages"):
        load_personamem(release, "32k")


def test_a_size_that_it_has_not_is_named(release: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"'128k'.*Accepted: 32k"):
        load_personamem(release, "128k")
