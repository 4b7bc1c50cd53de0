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
from personamem.loaders.personamem.version2.records import COLUMNS

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


def test_it_reads_as_the_releases_runner_reads_it(release: Path) -> None:
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
