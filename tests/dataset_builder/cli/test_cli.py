"""Commands as a user meets them: help, results, errors with exit codes, and nothing foreign."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from preloaded_programs import find_programs

from personamem.dataset_builder.cli import app as application
from personamem.dataset_builder.cli.app import app
from personamem.dataset_builder.families.registry import list_families

Call = Callable[..., Any]
COMMAND = [sys.executable, "-c", "from personamem.dataset_builder.cli import main; main()"]
SMALL = ("--family", "personamem", "--size", "4k", "--personas", "4", "--workers", "1")


def test_every_command_has_help_with_an_example(call: Call) -> None:
    names = [command.name or command.callback.__name__ for command in app.registered_commands]
    assert {"build", "info", "show", "audit", "diff", "publish"} <= set(names)
    for name in names:
        done = call(name, "--help")
        assert done.code == 0, done.err
        assert "Example: " in done.out, name
    assert "personamem build --size 4k" in call("--help").out


def test_the_help_of_build_groups_options_by_family(call: Call) -> None:
    lines = call("build", "--help").out.splitlines()
    panels = [line.strip("╭╮─ ") for line in lines if line.startswith("╭")]
    families = [f"Family {family.name}" for family in list_families()]
    assert panels == ["Options", *families, "Work", "Writer"]
    panel = lines.index(next(line for line in lines if "Family personamem" in line))
    assert "--size" in lines[panel + 1]


def test_build_prints_plain_lines_and_info_and_show_read_the_result(
    call: Call, tmp_path: Path
) -> None:
    out = tmp_path / "data"
    built = call("build", *SMALL, "--out", out)
    assert built.code == 0, built.err
    assert built.err.endswith(f"4k: 4/4 contexts, {read_tokens(out):,} tokens")
    first, second = built.out.splitlines()
    assert first == f"personamem 4k: 32 questions over 4 contexts, {read_tokens(out):,} tokens"
    assert second.startswith(f"Built personamem 1.0.0 in {out}: 0.")
    info = call("info", out)
    assert info.code == 0, info.err
    assert "suggest_new_ideas" in info.out
    shown = call("show", out, "--split", "4k", "--question", "3")
    assert shown.code == 0, shown.err
    assert "Question:" in shown.out
    assert "* (" in shown.out
    full = call("show", out, "--split", "4k", "--question", "3", "--full")
    assert len(full.out) > len(shown.out)
    again = call("build", *SMALL, "--out", out)
    assert again.code == 2
    assert "not empty" in again.err


def read_tokens(folder: Path) -> int:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    return int(manifest["families"]["personamem"]["splits"]["4k"]["tokens"])


def test_a_family_words_its_own_summary(tiny_of_every_family: Path) -> None:
    from personamem.loaders.formats.manifest import read_manifest

    record = read_manifest(tiny_of_every_family / "manifest.json").families
    for family in list_families():
        lines = family.describe_build(record[family.name])
        assert len(lines) == len(record[family.name].splits)
        for line, split in zip(lines, record[family.name].splits, strict=True):
            assert line.startswith(f"{family.name} {split}: ")
            assert "_" not in line.removeprefix(f"{family.name} {split}: ")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["build", "--size", "16k", "--out", "x"], ["16k", "4k, 8k, 32k"]),
        (["build", "--topic", "music", "--out", "x"], ["'music'", "musicRecommendation"]),
        (["build", "--personas", "6", "--out", "x"], ["multiple of 4", "6"]),
        (["build", "--questions", "6", "--out", "x"], ["multiple of 4", "6"]),
        (["build", "--family", "persona", "--out", "x"], ["'persona'", "Did you mean"]),
        (["build", "--config", "none.yaml", "--out", "x"], ["none.yaml", "does not exist"]),
        (["build", "--colour", "red", "--out", "x"], ["--colour"]),
        (["build", "--out", "file/x"], ["file/x", "cannot be made"]),
        (["build"], ["--out"]),
        (["info", "no/such/folder"], ["no/such/folder"]),
        (["show", "no/such/folder", "--split", "4k"], ["no/such/folder"]),
        (["show", "no/such/folder"], ["--split is required. Accepted: 4k"]),
        (["audit", "[/x]"], ["'[/x]'"]),
        (["diff", "[bold]a", "b"], ["'[bold]a'"]),
        (["eval", "data", "--split", "5k"], ["5k", "4k, 8k, 32k"]),
        (["eval", "data", "--split", "4k", "--condition", "blind"], ["blind", "nocontext"]),
        (["eval", "data", "--split", "4k", "--tasks", "x"], ["--tasks"]),
        (["fly"], ["fly"]),
    ],
)
def test_bad_input_is_one_error_and_exit_code_2(
    call: Call,
    arguments: list[str],
    parts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    done = call(*arguments)
    assert done.code == 2, done.err
    for part in parts:
        assert part in done.err, done.err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("number", ["seed: " + "9" * 6_000, "name: 2024-99-99", "[" * 100_000])
def test_a_config_that_cannot_be_read_is_one_error_and_exit_code_2(
    call: Call, number: str, tmp_path: Path
) -> None:
    config = tmp_path / "build.yaml"
    config.write_text(number)
    done = call("build", "--config", config, "--out", tmp_path / "x")
    assert done.code == 2
    assert f"error: Config file {config} cannot be read: " in done.err
    assert len(done.err) < 500
    assert not (tmp_path / "x").exists()


def test_a_fault_of_the_program_keeps_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise KeyError("a bug")

    monkeypatch.setattr(application, "app", fail)
    with pytest.raises(KeyError):
        application.main()


def test_unknown_question_is_named(call: Call, tiny_dataset: Path) -> None:
    done = call("show", tiny_dataset, "--split", "4k", "--question", "nope")
    assert done.code == 2
    assert "'nope'" in done.err


@pytest.mark.parametrize("words", [("audit", "{data}"), ("diff", "{data}", "{data}")])
def test_a_report_goes_into_folders_that_are_not_there(
    call: Call, tiny_dataset: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    report = tmp_path / "new" / "folder" / "report.json"
    command = [word.format(data=tiny_dataset) for word in words]
    done = call(*command, "--json", report)
    assert done.code == 0, done.err
    json.loads(report.read_text("utf-8"))
    assert [path.name for path in report.parent.iterdir()] == ["report.json"]


@pytest.mark.parametrize("command", ["audit", "diff"])
def test_a_report_that_cannot_be_written_is_refused_before_the_work(
    call: Call, tiny_dataset: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "file").touch()
    words = [tiny_dataset] * (2 if command == "diff" else 1)
    for path, error in (
        (tmp_path, "is a folder. Accepted: the name of a file"),
        (tmp_path / "file" / "x.json", "cannot be written: "),
    ):
        done = call(command, *words, "--json", path)
        assert done.code == 2
        assert error in done.err
        assert done.out == ""


def test_audit_prints_a_verdict_and_writes_reports(
    call: Call, tiny_dataset: Path, tmp_path: Path
) -> None:
    report, page = tmp_path / "audit.json", tmp_path / "audit.html"
    done = call("audit", tiny_dataset, "--split", "4k", "--json", report, "--html", page)
    assert done.code == 0, done.err
    assert "Every check passed: 4k." in done.out
    audited = json.loads(report.read_text("utf-8"))["parts"]["4k"]
    assert audited["passed"] is True
    figures = {finding["check"]: finding["figure"] for finding in audited["findings"]}
    assert figures["solver"] == 0
    assert {row["policy"] for row in audited["baselines"]["blind"]} >= {"longest", "shortest"}
    assert "<svg" in page.read_text("utf-8")


def test_texts_of_a_dataset_cannot_control_the_terminal(
    call: Call, tiny_dataset: Path, tmp_path: Path
) -> None:
    """Of an official release, which no hashes protect: escapes, and what looks like markup."""
    for name in ("questions_4k.csv", "shared_contexts_4k.jsonl"):
        shutil.copy(tiny_dataset / name, tmp_path / name)
    questions = (tmp_path / "questions_4k.csv").read_text("utf-8")
    # The id of the first question, and the first word of its options.
    identifier = questions.splitlines()[1].split(",")[1]
    hostile = "\x1b]0;owned\x07[/x]\u202e"
    (tmp_path / "questions_4k.csv").write_text(questions.replace(identifier, hostile), "utf-8")
    contexts = (tmp_path / "shared_contexts_4k.jsonl").read_text("utf-8")
    contexts = contexts.replace('"content": "', '"content": "\\u001b[31m')
    (tmp_path / "shared_contexts_4k.jsonl").write_text(contexts, "utf-8")
    for words in (("show", tmp_path, "--split", "4k", "--full"), ("info", tmp_path)):
        done = call(*words)
        assert done.code == 0, done.err
        assert not {"\x1b", "\x07", "\u202e"} & set(done.out)
    shown = call("show", tmp_path, "--split", "4k", "--question", hostile).out
    assert "question \\x1b]0;owned\\x07[/x]\\u202e, context " in shown


@pytest.mark.parametrize("command", ["info", "show", "diff"])
def test_normal_runs_print_nothing_foreign(
    tiny_dataset: Path, tmp_path: Path, environment: dict[str, str], command: str
) -> None:
    """In a process of its own, in a folder that is no repository: no warnings, no bars."""
    words = {"show": [tiny_dataset, "--split", "4k"], "diff": [tiny_dataset, tiny_dataset]}
    done = subprocess.run(
        [*COMMAND, command, *map(str, words.get(command, [tiny_dataset]))],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_an_evaluation_outside_of_a_repository_is_not_interrupted_by_git(
    tiny_dataset: Path, tmp_path: Path, environment: dict[str, str]
) -> None:
    words = ["eval", tiny_dataset, "--split", "4k", "--model", "dummy", "--limit", "1"]
    done = subprocess.run(
        [find_programs() / "personamem", *map(str, words), "--output_path", "out"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "fatal" not in done.stderr
    (results,) = tmp_path.glob("out/**/results_*.json")
    assert json.loads(results.read_bytes())["git_hash"] is None
