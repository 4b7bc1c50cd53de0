"""``info`` and ``show``: they show a question, and whatever its texts hold is only shown."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_dataset import HOSTILE, SHOWN, write_hostile
from tiny_dataset import rewrite_csv, write_official, write_ours
from typer.testing import CliRunner
from version2_release import Row, change_rows, write_release

from personamem.dataset_builder.cli.app import app
from personamem.loaders.formats.errors import PersonamemError

pytestmark = pytest.mark.system

Run = Callable[..., str]


@pytest.fixture
def run() -> Run:
    """A function that runs a command in this process and returns what it prints."""

    def run_command(*words: object) -> str:
        done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    return run_command


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return write_hostile(tmp_path / "hostile")


def assert_harmless(printed: str) -> None:
    for character in printed:
        assert character == "\n" or character.isprintable()


def test_a_question_is_shown_with_its_evidence(run: Run, tmp_path: Path) -> None:
    folder = write_ours(tmp_path / "data")
    lines = run("show", folder, "--split", "4k", "--question", "q03").splitlines()
    assert lines[0].endswith("foodRecommendation, persona 0")
    assert lines[1].startswith("question q03, context cccccccccccc, 10 messages, 120 tokens")
    assert lines[2] == "asked on 2024-05-09, 300 tokens after the evidence"
    assert any(line.startswith("*     1 user: User: I had a bag of quinces") for line in lines)
    assert "* (d) You had ddd, a 'good' choice.  (considered)" in lines


def test_an_official_question_is_shown_without(run: Run, tmp_path: Path) -> None:
    printed = run("show", write_official(tmp_path / "data"), "--split", "4k", "--full")
    assert "evidence" not in printed
    assert "      9 user: User: Thanks." in printed


def test_lengths_that_a_release_does_not_state_are_not_shown(run: Run, tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release", rows=8)

    def forget(rows: list[Row]) -> None:
        for row in rows:
            row["total_tokens_in_chat_history_32k"] = ""

    change_rows(folder, forget)
    lines = run("show", folder, "--split", "32k").splitlines()
    assert lines[1].endswith("13 messages")


@pytest.mark.parametrize("question", ["0", HOSTILE + "q03"])
@pytest.mark.parametrize("more", [[], ["--full"]])
def test_hostile_text_is_shown_and_not_obeyed(
    run: Run, hostile: Path, question: str, more: list[str]
) -> None:
    printed = run("show", hostile, "--split", "4k", "--question", question, *more)
    assert_harmless(printed)
    assert f"Question: {SHOWN}What fruit" in printed
    assert f"({SHOWN})" in printed  # The role of an option.
    assert f"asked on {SHOWN}" in printed


def test_info_shows_hostile_names(run: Run, hostile: Path) -> None:
    printed = run("info", hostile)
    assert_harmless(printed)
    assert f"{SHOWN}suggest_new_ideas" in printed


def test_samples_of_hostile_questions_are_listed(run: Run, hostile: Path, tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    sample = {
        "doc": {"question_id": HOSTILE + "q03"},
        "arguments": {"gen_args_0": {"arg_0": {"split": "4k", "condition": HOSTILE}}},
        "resps": [[HOSTILE]],
        "acc": 1.0,
    }
    path.write_text(json.dumps(sample) + "\n")
    assert_harmless(run("show", hostile, "--samples", path))
    printed = run("show", hostile, "--samples", path, "--question", HOSTILE + "q03")
    assert_harmless(printed)
    # An answer is shown in a line, so the carriage return is a space.
    answer = SHOWN.replace("\\x0d", " ")
    assert f"Answered (condition {SHOWN}), right: {answer}" in printed


def test_an_escape_in_the_official_files_is_shown(run: Run, tmp_path: Path) -> None:
    folder = write_official(tmp_path / "data")

    def change(rows: list[dict[str, str]]) -> None:
        rows[0]["user_question_or_message"] = HOSTILE

    rewrite_csv(folder, change)
    path = folder / "shared_contexts_4k.jsonl"
    path.write_text(path.read_text("utf-8").replace("bag of", r"bag\u001b]0;x\u0007"), "utf-8")
    printed = run("show", folder, "--split", "4k", "--full")
    assert_harmless(printed)
    assert "bag\\x1b]0;x\\x07" in printed
    assert f"Question: {SHOWN}" in printed


@pytest.mark.parametrize(
    "words", [["diff", "PLAIN"], ["audit"], ["eval", "--split", "4k", "--plan"]]
)
def test_other_commands_obey_no_text_either(
    hostile: Path, tmp_path: Path, words: list[str]
) -> None:
    command, *rest = words
    rest = [str(write_ours(tmp_path / "plain")) if word == "PLAIN" else word for word in rest]
    done = CliRunner().invoke(app, [command, str(hostile), *rest])
    # That it fails the audit is as it should be.
    assert isinstance(done.exception, PersonamemError | SystemExit | None), done.exception
    assert_harmless(done.output)
