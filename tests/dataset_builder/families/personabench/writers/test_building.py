"""Datasets with documents of communities that a model writes, from requests to the audit."""

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from document_writing import write_document, write_document_json
from scripted_model import ScriptedModel
from tiny_families import make_tiny_config
from writing_server import pack_turns

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.personabench.audit.source import PART
from personamem.dataset_builder.families.personabench.rows import make_tables
from personamem.dataset_builder.llm import AnswerStore
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.dataset_builder.packaging.generated_text import GeneratedText, generate_text
from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system


@pytest.fixture
def config() -> BuildConfig:
    return make_tiny_config("personabench", writer="openai", model={"name": "scripted"})


def write(config: BuildConfig, path: Path, answer: Callable[[str], str]) -> GeneratedText:
    with AnswerStore(path) as store:
        return generate_text(config, store, ScriptedModel(answer))


def test_documents_are_written_checked_and_packaged(config: BuildConfig, tmp_path: Path) -> None:
    script = write(config, tmp_path / "store", write_document_json)
    counts = build_dataset(config, tmp_path / "a", 1, generated=script).writer.items["documents"]
    assert counts.written + counts.fallbacks == counts.total > 400
    assert counts.written > 0.98 * counts.total
    rows = pq.read_table(tmp_path / "a" / "documents" / "noise_07.parquet").to_pylist()
    mine = "I see, that is how it is, and there you have it."
    assert sum(mine in str(row["messages"]) for row in rows) > 0.7 * len(rows)
    assert AuditSource(tmp_path / "a").audit_part(PART, [PART]).failures == ()


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
    counts, documents = script.writer.items["documents"], script.texts["personabench"]
    chats = sum("with an AI assistant" in prompt for prompt in set(prompts)) // 4
    assert counts.fallbacks_by_reason["no readable answer"] == chats > 50
    assert counts.refusals_by_reason["no readable answer"] == 4 * chats
    assert counts.rewritten == counts.written == len(documents) > 300
    assert any('- The answer lacked the field "' in prompt for prompt in prompts)
    tables = make_tables(config.seed, 1, documents)
    plain = make_tables(config.seed, 1)
    changed = {
        row["session_id"]
        for row, before in zip(
            tables.documents["noise_07"], plain.documents["noise_07"], strict=True
        )
        if row["messages"] != before["messages"]
    }
    # Few documents are all sketch, which this model copies.
    assert changed <= set(documents)
    assert len(changed) > 0.9 * len(documents)


def test_without_a_server_a_store_must_hold_every_answer(
    config: BuildConfig, tmp_path: Path
) -> None:
    with (
        AnswerStore(tmp_path / "store") as store,
        pytest.raises(InvalidInputError, match=r"for (\d+) of \1 documents"),
    ):
        generate_text(config, store)
