"""Datasets with documents of communities that a model writes, from requests to the audit."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from document_writing import is_document, write_document, write_document_json
from writing_server import pack_turns, serve_writer, write_well

from personamem.dataset_builder.core.config import BuildConfig, make_config
from personamem.dataset_builder.families.personabench.audit.source import audit_communities
from personamem.dataset_builder.families.personabench.rows import make_tables
from personamem.dataset_builder.families.personamem.tables import hash_file
from personamem.dataset_builder.llm import AnswerStore, Server, fill_from
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.dataset_builder.packaging.generated_text import GeneratedText, generate_text
from personamem.loaders.formats.errors import InvalidInputError


@pytest.fixture
def config() -> BuildConfig:
    return make_config(
        sizes=("4k",), personas=4, communities=1, writer="openai", model={"name": "scripted"}
    )


def write(config: BuildConfig, path: Path, answer: Callable[[str], str]) -> GeneratedText:
    def answer_any(prompt: str) -> str:
        if is_document(prompt):
            return answer(prompt)
        return pack_turns(write_well(prompt))

    with serve_writer(answer_any) as server, AnswerStore(path) as store:
        return generate_text(config, store, fill_from(Server(server.url, "", concurrency=16)))


def hash_files(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in files}


def test_documents_are_written_checked_packaged_and_made_again_without_a_server(
    config: BuildConfig, tmp_path: Path
) -> None:
    script = write(config, tmp_path / "store", write_document_json)
    summary = build_dataset(config, tmp_path / "a", 1, script=script)["writer"]["documents"]
    assert summary["written"] + summary["fallbacks"] == summary["total"] > 400
    assert summary["written"] > 0.98 * summary["total"]
    rows = pq.read_table(tmp_path / "a" / "documents" / "noise_07.parquet").to_pylist()
    mine = "I see, that is how it is, and there you have it."
    assert sum(mine in str(row["messages"]) for row in rows) > 0.7 * len(rows)
    assert audit_communities(tmp_path / "a").failures == ()
    with AnswerStore(tmp_path / "store") as store:
        again = generate_text(config, store)
    build_dataset(config, tmp_path / "b", 2, script=again)
    assert hash_files(tmp_path / "a") == hash_files(tmp_path / "b")


def test_refused_documents_are_counted_and_left_to_the_embedded_writer(
    config: BuildConfig, tmp_path: Path
) -> None:
    prompts: list[str] = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        if "with an AI assistant" in prompt:
            return "I would rather not."
        turns = write_document(prompt)
        if "This is attempt" not in prompt:
            turns.pop()
        return pack_turns(turns)

    script = write(config, tmp_path / "store", answer)
    summary = script.summary["documents"]
    chats = sum("with an AI assistant" in prompt for prompt in set(prompts)) // 4
    assert summary["fallbacks_by_reason"]["no readable answer"] == chats > 50
    assert summary["refusals_by_reason"]["no readable answer"] == 4 * chats
    assert summary["rewritten"] == summary["written"] == len(script.documents) > 300
    assert any('- The answer lacked the field "10 ' in prompt for prompt in prompts)
    tables = make_tables(config.seed, 1, script.documents)
    plain = make_tables(config.seed, 1)
    for row, before in zip(tables.documents["noise_07"], plain.documents["noise_07"], strict=True):
        assert (row["messages"] != before["messages"]) == (row["session_id"] in script.documents)


def test_without_a_server_a_store_must_hold_every_answer(
    config: BuildConfig, tmp_path: Path
) -> None:
    with (
        AnswerStore(tmp_path / "store") as store,
        pytest.raises(
            InvalidInputError, match=r"of \d+ documents, 7 of 7 options, 28 of 28 sessions"
        ),
    ):
        generate_text(config, store)
