"""Datasets whose everyday chats a model writes, from the first request to the packaged folder."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from calling import call
from scripted_model import ScriptedModel
from tiny_families import hash_files, make_tiny_config
from writing_server import pack_turns, serve_writer, write_json, write_well

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.llm import (
    AnswerStore,
    BudgetSpentError,
    Prices,
    Server,
    fill_from,
)
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.dataset_builder.packaging.generated_text import (
    GeneratedText,
    generate_text,
    list_items,
)
from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system

REWRITE = "This is attempt"
MINE = "and that is all of it."


@pytest.fixture(scope="module")
def config() -> BuildConfig:
    return make_tiny_config("personamem", writer="openai", model={"name": "scripted"})


def write(
    config: BuildConfig, path: Path, answer: Callable[[str], str]
) -> tuple[GeneratedText, list[str]]:
    """Write with ``answer``; return the prompts too."""
    model = ScriptedModel(answer)
    with AnswerStore(path) as store:
        return generate_text(config, store, model), model.prompts


def test_a_dataset_is_written_checked_packaged_and_made_again_without_a_server(
    config: BuildConfig, tmp_path: Path
) -> None:
    script, prompts = write(config, tmp_path / "store", write_json)
    writer = build_dataset(config, tmp_path / "a", 1, generated=script).writer
    assert writer.model == "scripted"
    counts = writer.items["chats"]
    assert counts.written == counts.total == len(prompts) == len(set(prompts))
    contexts = (tmp_path / "a" / "shared_contexts_4k.jsonl").read_text("utf-8")
    chats = [chat for chats in script.texts["personamem"].values() for chat in chats]
    for chat in chats:
        for message in chat.messages:
            assert json.dumps(message) in contexts, "all that was paid for is used"
    assert contexts.count(MINE) == sum(len(chat.messages) for chat in chats) // 2
    with AnswerStore(tmp_path / "store") as store:
        again = generate_text(config, store)
    build_dataset(config, tmp_path / "b", 1, generated=again)
    assert hash_files(tmp_path / "a") == hash_files(tmp_path / "b")
    check_audit(tmp_path / "a", tmp_path / "audit.json")
    card = (tmp_path / "a" / "README.md").read_text("utf-8")
    assert f"| `chats` | {counts.total} | {counts.total} | 0 | 0 |" in card


def check_audit(folder: Path, report: Path) -> None:
    """All is sound but the text, in which the script says the same thing over and over."""
    call("audit", folder, "--json", report, "--baseline", "longest", "--workers", 1)
    findings = json.loads(report.read_text("utf-8"))["parts"]["4k"]["findings"]
    failed = {entry["check"] for entry in findings if entry["passed"] is False}
    assert {entry["section"] for entry in findings if entry["passed"] is False} <= {"text"}
    assert {"structure", "truth", "blind"} < {entry["section"] for entry in findings}
    assert "exact duplicates within a context, highest context" not in failed


def test_evidence_is_never_a_models(
    config: BuildConfig, tmp_path: Path, tiny_dataset: Path
) -> None:
    script, _ = write(config, tmp_path / "store", write_json)
    build_dataset(config, tmp_path / "a", 1, generated=script)
    sessions = []
    for folder in (tiny_dataset, tmp_path / "a"):
        lines = (folder / "shared_contexts_4k.jsonl").read_text("utf-8").splitlines()
        contexts = [messages for line in lines for messages in json.loads(line).values()]
        sessions.append([{message["content"] for message in context} for context in contexts])
    for before, after in zip(*sessions, strict=True):
        assert len(before & after) > 0.5 * len(before)
        assert not any(MINE in text for text in before)


def test_a_refused_chat_is_written_anew_with_the_reason(
    config: BuildConfig, tmp_path: Path
) -> None:
    script, prompts = write(
        config,
        tmp_path / "store",
        lambda prompt: write_json(prompt) if REWRITE in prompt else "I would rather not.",
    )
    counts = script.writer.items["chats"]
    assert counts.rewritten == counts.written == counts.total
    assert counts.refusals_by_reason == {"no readable answer": counts.total}
    assert any("refused because:\n- The answer cannot be read" in prompt for prompt in prompts)


def test_what_is_refused_four_times_falls_back_to_the_bank(
    config: BuildConfig, tmp_path: Path
) -> None:
    script, prompts = write(config, tmp_path / "store", lambda prompt: "I would rather not.")
    counts = script.writer.items["chats"]
    assert counts.written == 0
    assert counts.fallbacks_by_reason == {"no readable answer": counts.total}
    assert len(prompts) == 4 * counts.total
    manifest = build_dataset(config, tmp_path / "a", 1, generated=script)
    assert manifest.writer.items["chats"].fallbacks == counts.total


def test_a_reply_without_end_falls_back_and_is_counted(config: BuildConfig, tmp_path: Path) -> None:
    with (
        serve_writer(lambda prompt: "x" * 2_000_000) as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        script = generate_text(config, store, fill_from(Server(server.url, "", concurrency=4)))
    counts = script.writer.items["chats"]
    assert counts.fallbacks_by_reason == {"length": counts.total}


def test_a_stock_phrase_stands_in_one_chat_of_a_context(
    config: BuildConfig, tmp_path: Path
) -> None:
    phrase = "I have made a note of all that you told me."

    def answer(prompt: str) -> str:
        turns = write_well(prompt)
        turns[1]["content"] = phrase
        return pack_turns(turns)

    script, _ = write(config, tmp_path / "store", answer)
    counts = script.writer.items["chats"]
    assert counts.fallbacks_by_reason == {"a message that stands elsewhere too": counts.fallbacks}
    for chats in script.texts["personamem"].values():
        assert sum(phrase in chat.messages for chat in chats if chat) == 1
    with AnswerStore(tmp_path / "store") as store:
        assert generate_text(config, store) == script


def test_without_a_server_a_store_must_hold_every_answer(
    config: BuildConfig, tmp_path: Path
) -> None:
    with (
        AnswerStore(tmp_path / "store") as store,
        pytest.raises(InvalidInputError, match=r"for (\d+) of \1 chats"),
    ):
        generate_text(config, store)


def test_a_request_without_an_answer_is_given_up_and_stays_so(
    config: BuildConfig, tmp_path: Path
) -> None:
    silent = list_items(config)[0].request(()).messages[1]["content"]
    with (
        serve_writer(lambda prompt: None if prompt == silent else write_json(prompt)) as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        script = generate_text(
            config, store, fill_from(Server(server.url, "", concurrency=1, attempts=1))
        )
    # Once in each of two rounds.
    assert server.prompts.count(silent) == 2
    counts = script.writer.items["chats"]
    assert counts.fallbacks_by_reason == {"no answer": 1}
    with (
        serve_writer(write_json) as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        again = generate_text(config, store, fill_from(Server(server.url, "", concurrency=1)))
    assert server.prompts == []
    assert again == script


def test_a_budget_holds_over_all_attempts(config: BuildConfig, tmp_path: Path) -> None:
    # Every answer costs 0.05, and four attempts at each chat would cost far more.
    chats = len(list_items(config))
    with (
        serve_writer(lambda prompt: "I would rather not.") as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        asked = Server(server.url, "", concurrency=1)
        budget = 2 * chats * 0.05
        with pytest.raises(BudgetSpentError, match="All answers so far are stored"):
            generate_text(config, store, fill_from(asked), prices=Prices(0, 0, 1000), budget=budget)
    assert 0 < len(server.prompts) <= 2 * chats


def test_a_filler_and_a_model_are_one_too_many(tmp_path: Path) -> None:
    config = make_config(
        writer="openai", model={"name": "m"}, families={"personamem": {"filler": str(tmp_path)}}
    )
    with pytest.raises(InvalidInputError, match="a model writes the chats that fill contexts"):
        list_items(config)
