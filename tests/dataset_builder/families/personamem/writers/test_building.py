"""Datasets that a model writes, from the first request to the packaged folder."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from calling import call
from scripted_model import ScriptedModel
from tiny_families import hash_files, read_tiny_section
from writing_server import asks_for_options, pack_turns, serve_writer, write_json, write_well

from personamem.dataset_builder.core.config import BuildConfig, ModelSettings
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import configure
from personamem.dataset_builder.families.personamem.texts import lay_out_sessions
from personamem.dataset_builder.families.personamem.writers.model.items import SessionItem
from personamem.dataset_builder.families.personamem.writers.surface_forms import list_surface_forms
from personamem.dataset_builder.llm import (
    AnswerStore,
    BudgetSpentError,
    Prices,
    Server,
    fill_from,
)
from personamem.dataset_builder.llm.writing.prose import RejectedTextError
from personamem.dataset_builder.packaging.build import build_dataset
from personamem.dataset_builder.packaging.generated_text import GeneratedText, generate_text
from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system

REWRITE = "This is attempt"
MORE = {"role": "user", "content": "And this comes on top of it."}


@pytest.fixture
def config() -> BuildConfig:
    section = {**read_tiny_section("personamem"), "world": "first", "updates": None}
    return make_config(
        writer="openai", model={"name": "scripted"}, families={"personamem": section}
    )


def lay_out(config: BuildConfig) -> list[SessionItem]:
    settings = ModelSettings(name="scripted")
    return [item for _, item in lay_out_sessions(configure(config), settings)]


def edit_first(prompt: str, edit: Callable[[str], str]) -> str:
    turns = write_well(prompt)
    turns[0]["content"] = edit(turns[0]["content"])
    return pack_turns(turns)


def repeat_first(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = turns[0]["content"].upper().replace(" ", "  ")
    return [turns[0], {**turns[1], "content": first}, *turns[2:]]


def write(
    config: BuildConfig, path: Path, answer: Callable[[str], str]
) -> tuple[GeneratedText, int]:
    """Write with ``answer`` for the sessions; return how many requests there were for these."""

    def answer_all(prompt: str) -> str:
        return write_json(prompt) if asks_for_options(prompt) else answer(prompt)

    model = ScriptedModel(answer_all)
    with AnswerStore(path) as store:
        script = generate_text(config, store, model)
    return script, sum(not asks_for_options(prompt) for prompt in model.prompts)


def test_a_dataset_is_written_checked_packaged_and_made_again_without_a_server(
    config: BuildConfig, tmp_path: Path
) -> None:
    script, asked = write(config, tmp_path / "store", write_json)
    writer = build_dataset(config, tmp_path / "a", 1, generated=script).writer
    assert writer.model == "scripted"
    counts = writer.items["sessions"]
    assert counts.written + counts.fallbacks == counts.total == 28
    assert counts.written >= 24
    assert asked == counts.total + sum(counts.refusals_by_reason.values()) - counts.fallbacks
    text = (tmp_path / "a" / "shared_contexts_4k.jsonl").read_text("utf-8")
    assert text.count("Thank you, I will keep it in mind, ") > 50
    with AnswerStore(tmp_path / "store") as store:
        again = generate_text(config, store)
    build_dataset(config, tmp_path / "b", 1, generated=again)
    assert hash_files(tmp_path / "a") == hash_files(tmp_path / "b")
    check_audit(tmp_path / "a", tmp_path / "audit.json")
    card = (tmp_path / "a" / "README.md").read_text("utf-8")
    shown = f"28 | {counts.written} | {counts.rewritten} | {counts.fallbacks}"
    assert f"| `sessions` | {shown} |" in card


def check_audit(folder: Path, report: Path) -> None:
    """All is sound but the text, in which the script says the same thing over and over."""
    done = call("audit", folder, "--json", report, "--baseline", "longest", "--workers", 1)
    assert done.returncode == 1
    findings = json.loads(report.read_text("utf-8"))["parts"]["4k"]["findings"]
    failed = {entry["check"] for entry in findings if entry["passed"] is False}
    sections = {entry["section"] for entry in findings if entry["passed"] is False}
    assert sections == {"text"}
    assert {"structure", "truth", "blind"} < {entry["section"] for entry in findings}
    assert "exact duplicates within a context, highest context" not in failed


def test_a_refused_session_is_written_anew_with_the_reason(
    config: BuildConfig, tmp_path: Path
) -> None:
    prompts = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return write_json(prompt) if REWRITE in prompt else "I would rather not."

    counts = write(config, tmp_path / "store", answer)[0].writer.items["sessions"]
    assert counts.rewritten == counts.written >= 24
    assert counts.refusals_by_reason["no readable answer"] == 28
    assert any("refused because:\n- The answer cannot be read" in prompt for prompt in prompts)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda prompt: "", "no readable answer"),
        (lambda prompt: '{"turns": []}', "no readable answer"),
        (lambda prompt: pack_turns(write_well(prompt)[:-1]), "form of the answer"),
        (lambda prompt: pack_turns([*write_well(prompt), MORE]), "form of the answer"),
        (lambda prompt: pack_turns(write_well(prompt)[1:]), "form of the answer"),
        (
            lambda prompt: edit_first(prompt, lambda text: text + " <script>alert(1)</script>"),
            "markup or placeholders",
        ),
        (
            lambda prompt: edit_first(prompt, lambda text: text + " {{ 7 * 7 }}"),
            "markup or placeholders",
        ),
        (
            lambda prompt: edit_first(prompt, lambda text: text + " \ud83d"),
            "markup or placeholders",
        ),
        (
            lambda prompt: pack_turns(
                [
                    {**turn, "content": "Das ist eine wirklich schöne Geschichte gewesen"}
                    for turn in write_well(prompt)
                ]
            ),
            "not English",
        ),
        (
            lambda prompt: pack_turns(repeat_first(write_well(prompt))),
            "a message that stands elsewhere too",
        ),
        (
            lambda prompt: edit_first(prompt, lambda text: "This is about nothing in particular."),
            "a planned fact is missing",
        ),
        (
            lambda prompt: edit_first(prompt, lambda text: f"{text} Once more: {text}"),
            "a fact that is not planned",
        ),
    ],
    ids=[
        "empty",
        "no text",
        "one less",
        "one more",
        "other roles",
        "html",
        "jinja",
        "surrogate",
        "german",
        "the same again",
        "missing",
        "twice",
    ],
)
def test_hostile_answers_are_refused_with_the_reason(
    config: BuildConfig, answer: Callable[[str], str], reason: str
) -> None:
    for item in lay_out(config):
        with pytest.raises(RejectedTextError) as refused:
            item.read(answer(item.request().messages[1]["content"]))
        assert refused.value.flaw == reason


SMALLEST = {"sizes": ["4k"], "personas": 4, "questions": 4}


def test_what_is_refused_four_times_falls_back_and_is_counted(tmp_path: Path) -> None:
    model = {"name": "scripted"}
    config = make_config(writer="openai", model=model, families={"personamem": SMALLEST})
    script, asked = write(config, tmp_path / "store", lambda prompt: "I would rather not.")
    counts = script.writer.items["sessions"]
    assert counts.written == 0
    assert counts.fallbacks_by_reason == {"no readable answer": counts.total}
    assert asked == 4 * counts.total == 16


def test_a_reply_without_end_falls_back_and_is_counted(tmp_path: Path) -> None:
    model = {"name": "scripted"}
    config = make_config(writer="openai", model=model, families={"personamem": SMALLEST})
    with (
        serve_writer(lambda prompt: "x" * 2_000_000) as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        script = generate_text(config, store, fill_from(Server(server.url, "", concurrency=4)))
    counts = script.writer.items["sessions"]
    assert counts.fallbacks_by_reason == {"length": counts.total}


def test_a_stock_phrase_stands_in_one_session_of_a_context(
    config: BuildConfig, tmp_path: Path
) -> None:
    phrase = "I have made a note of all that you told me."

    def answer(prompt: str) -> str:
        turns = write_well(prompt)
        noted = [turn for turn in turns if turn["content"].startswith("Thank you, I will")]
        for turn in noted[:1]:
            turn["content"] = phrase
        return pack_turns(turns)

    script, _ = write(config, tmp_path / "store", answer)
    counts = script.writer.items["sessions"]
    assert counts.fallbacks_by_reason["a message that stands elsewhere too"] > 10
    for sessions in script.texts["personamem"].sessions.values():
        texts = [
            message["content"] for session in sessions if session for message in session.messages
        ]
        assert texts.count(phrase) <= 1
    with AnswerStore(tmp_path / "store") as store:
        assert generate_text(config, store) == script


def test_without_a_server_a_store_must_hold_every_answer(
    config: BuildConfig, tmp_path: Path
) -> None:
    with (
        AnswerStore(tmp_path / "store") as store,
        pytest.raises(InvalidInputError, match="for 7 of 7 options, 28 of 28 sessions"),
    ):
        generate_text(config, store)


def test_a_request_without_an_answer_is_given_up_and_stays_so(
    config: BuildConfig, tmp_path: Path
) -> None:
    silent = lay_out(config)[0].request().messages[1]["content"]
    with (
        serve_writer(lambda prompt: None if prompt == silent else write_json(prompt)) as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        script = generate_text(
            config, store, fill_from(Server(server.url, "", concurrency=1, attempts=1))
        )
    # Once in each of two rounds.
    assert server.prompts.count(silent) == 2
    counts = script.writer.items["sessions"]
    assert counts.fallbacks_by_reason["no answer"] == 1
    assert counts.written >= 23
    with (
        serve_writer(write_json) as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        again = generate_text(config, store, fill_from(Server(server.url, "", concurrency=1)))
    assert server.prompts == []
    assert again == script


def test_a_budget_holds_over_all_attempts(config: BuildConfig, tmp_path: Path) -> None:
    # Every answer costs 0.05, and four attempts at each piece would cost 7.
    with (
        serve_writer(lambda prompt: "I would rather not.") as server,
        AnswerStore(tmp_path / "store") as store,
    ):
        asked = Server(server.url, "", concurrency=1)
        with pytest.raises(BudgetSpentError, match="All answers so far are stored"):
            generate_text(config, store, fill_from(asked), prices=Prices(0, 0, 1000), budget=3.5)
    assert 35 < len(server.prompts) <= 70


def test_a_candidate_of_another_thread_is_refused(config: BuildConfig) -> None:
    for piece in lay_out(config)[:8]:
        brief = piece.brief
        planned = " ".join(
            text.lower() for fact in brief.plan.facts for text in list_surface_forms(fact)
        )
        foreign = min(text for text in brief.candidates if text not in planned)
        prompt = piece.request().messages[1]["content"]
        with pytest.raises(RejectedTextError, match="not in the outline"):
            piece.read(edit_first(prompt, lambda text, name=foreign: f"{text} {name}."))
