"""A set of ours in the columns of the second release: our loader reads it, and its runner can."""

import ast
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import call

from personamem.dataset_builder.families.personamem.exporting.version2_files import (
    choose_size,
    convert_history,
)
from personamem.loaders import load_personamem, load_version2
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personamem.files import list_splits
from personamem.loaders.personamem.version2.records import (
    COLUMNS,
    FORGET_TYPE,
    SENSITIVE_TYPES,
)

pytestmark = pytest.mark.system

Export = Callable[..., Path]


@pytest.fixture(scope="module")
def release(export: Export) -> Path:
    return export("--format", "personamem-v2")


def test_our_loader_reads_it_with_every_snippet_found(release: Path, dataset: Path) -> None:
    ours, version2 = load_personamem(dataset, "4k"), load_version2(release, "32k")
    assert version2.absent == ()
    asked = [question for question, _ in ours.pairs()]
    for entry, question in zip(version2.entries, asked, strict=True):
        assert entry.row.user_query == question.user_question_or_message
        assert entry.row.correct_answer == question.options[question.answer_index]
        assert sorted(entry.question.options) == sorted(question.options)
        annotation = ours.evidence_for(question)
        assert annotation is not None
        shown = version2.data.messages_for(entry.question)
        told = "\n".join(shown[index]["content"] for index in entry.place or ())
        context = ours.context(question.shared_context_id)
        for index in annotation.evidence_message_indices:
            assert context[index]["content"] in told
        text = "\n".join(message["content"] for message in shown)
        for message in ours.messages_for(question):
            assert message["content"] in text
        assert [m["role"] for m in shown].count("system") == 1


def read_as_the_runner(path: Path) -> list[dict[str, str]]:
    """Read a table as the release's runner does: as plain text, so that line ends change."""
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def find_history(path: Path) -> list[dict[str, str]]:
    """Return what the runner takes for the history: the first list in the object of a file.

    Before it looks for lists, it takes what is called "conversations", here or a level below.
    """
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    assert "conversations" not in content
    for value in content.values():
        assert not (isinstance(value, dict) and "conversations" in value)
        if isinstance(value, list):
            return value
    return []


def test_the_runner_finds_a_history_and_four_options_in_every_row(release: Path) -> None:
    table = release / "benchmark/text/benchmark.csv"  # Where it looks unless told.
    rows = read_as_the_runner(table)
    with table.open(encoding="utf-8", newline="") as stream:
        assert list(csv.DictReader(stream)) == rows
    for row in rows:
        assert None not in row  # It writes each row again, with results.
        assert max(map(len, row.values())) < csv.field_size_limit()
        # JSON is tried first, then a literal of Python; what is neither is asked as it stands.
        with pytest.raises(json.JSONDecodeError):
            json.loads(row["user_query"])
        assert set(ast.literal_eval(row["user_query"])) == {"role", "content"}
        # Paths are those below the folder in which it runs; of a wrong one it goes on without.
        history = find_history(release / row["chat_history_32k_link"])
        assert history[-1]["role"] == "assistant"
        for message in history:
            assert message["role"] in ("system", "user", "assistant")
            assert message["content"].strip()
        # A reply is right if the text of its letter is that of the right answer.
        wrong = json.loads(row["incorrect_answers"])
        assert len({row["correct_answer"], *wrong}) == 4
        # Training reads the same cell as a literal of Python.
        assert ast.literal_eval(row["incorrect_answers"]) == wrong
        assert int(row["distance_from_related_snippet_to_query_32k"]) >= 0
        # Its judge grades what is to be left out by how the preference begins.
        negative = row["preference"].lower().startswith("do not")
        assert negative == (row["pref_type"] in (FORGET_TYPE, *SENSITIVE_TYPES))
    assert {"", *(row["chat_history_128k_link"] for row in rows)} == {""}


def test_it_has_the_columns_and_files_of_the_release(release: Path) -> None:
    with (release / "benchmark/text/benchmark.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    assert len(COLUMNS) == 27
    assert list_splits(release) == ["32k"]
    for row in rows:
        query = ast.literal_eval(row["user_query"])
        assert query["role"] == "user"
        assert len(json.loads(row["incorrect_answers"])) == 3
        content: dict[str, Any] = json.loads((release / row["chat_history_32k_link"]).read_text())
        assert content["metadata"]["total_messages"] == len(content["chat_history"])
        assert content["metadata"]["persona_id"] == int(row["persona_id"])
        tokens = content["metadata"]["final_token_count"]
        assert tokens == int(row["total_tokens_in_chat_history_32k"])
        assert json.loads(row["expanded_persona"])["short_persona"] == row["short_persona"]
        assert row["updated"] in ("True", "False")
    links = {row["chat_history_32k_link"] for row in rows}
    assert len(links) == len(list((release / "data").rglob("*.json")))


def test_later_system_messages_go_to_the_head_of_what_follows() -> None:
    messages = [
        {"role": "system", "content": "one"},
        {"role": "user", "content": "two"},
        {"role": "system", "content": "three"},
        {"role": "user", "content": "four"},
        {"role": "system", "content": "five"},
    ]
    history, places = convert_history(messages)  # type: ignore[arg-type]
    assert [m["role"] for m in history] == ["system", "user", "user", "user"]
    assert "three" in history[2]["content"]
    assert history[2]["content"].endswith("four")
    assert "five" in history[3]["content"]
    assert places == [0, 1, 2, 2, 3]


def test_a_split_has_the_size_that_holds_it(dataset: Path, tmp_path: Path) -> None:
    assert [choose_size(split) for split in ("4k", "32k", "64k", "128k")] == [
        *("32k", "32k", "128k", "128k"),
    ]
    with pytest.raises(InvalidInputError, match="up to 128k"):
        choose_size("1M")


def test_an_official_release_has_no_snippets_to_name(tmp_path: Path) -> None:
    from version2_specimen import write_specimen

    source = write_specimen(tmp_path / "release")
    done = call(
        *("export", source, "--split", "32k", "--format", "personamem-v2"),
        *("--out", tmp_path / "out"),
    )
    assert done.returncode == 2
    assert "has no annotations" in done.stderr
    assert not (tmp_path / "out").exists()
