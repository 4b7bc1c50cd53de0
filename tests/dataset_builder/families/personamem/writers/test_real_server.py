"""A dataset from a real model behind a real server, from the first request to the audit."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from preloaded_programs import find_programs
from tiny_families import hash_files
from transformers_server import read_tail, serve_model

Run = Callable[..., subprocess.CompletedProcess[str]]

BUILD = ("build", "--size", "4k", "--personas", "4", "--questions", "40")
BUILD += ("--family", "personamem", "--workers", "1", "--writer", "openai", "--max-tokens", "3")


@pytest.mark.model
def test_a_real_server_writes_and_what_it_cannot_write_is_counted(
    run: Run, short_model_dir: Path, tmp_path: Path
) -> None:
    # Two layers keep to no outline, so this shows requests, refusals and fallbacks.
    log, store, out = tmp_path / "server.log", tmp_path / "store", tmp_path / "out"
    personamem = find_programs() / "personamem"
    build = (personamem, *BUILD, "--model", short_model_dir.name, "--store", store)
    with serve_model(short_model_dir, log) as url:
        try:
            done = run(*build, "--base-url", url, "--concurrency", "2", "--out", out)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{read_tail(log)}") from error
    written = json.loads((out / "manifest.json").read_text("utf-8"))["writer"]
    chats = written["items"]["chats"]
    assert written["model"] == short_model_dir.name
    assert chats["written"] + chats["fallbacks"] == chats["total"]
    assert chats["total"] >= 4  # One for each persona; the room for more hangs on the texts.
    assert sum(chats["refusals_by_reason"].values()) >= chats["fallbacks"]
    assert sum(chats["fallbacks_by_reason"].values()) == chats["fallbacks"]
    assert f"by the model: {chats['written']} " in done.stdout
    assert "Every check passed: dataset, 4k." in run(personamem, "audit", out).stdout
    run(*build, "--out", tmp_path / "again")
    assert hash_files(tmp_path / "again") == hash_files(out)
