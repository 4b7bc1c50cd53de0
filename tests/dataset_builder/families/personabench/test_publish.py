"""A release with open questions: audited with the rest, and loaded at every noise level."""

import json
import sys
from pathlib import Path

from forking_cli import ForkingCli
from hub import Hub
from publishing import Publish, clean_environment, run_program


def test_open_questions_are_audited_and_load_at_every_noise_level(
    hub: Hub, cli: ForkingCli, publish: Publish, tmp_path: Path
) -> None:
    folder = tmp_path / "open"
    size = ("--size", "4k", "--personas", "4", "--questions", "28", "--workers", "1")
    built = cli.run("build", *size, "--communities", "1", "--out", folder)
    assert built.code == 0, built.errors
    done = publish(folder, "v1.0.0")
    assert done.code == 0, done.errors
    audit = json.loads((folder / "audit.json").read_bytes())
    assert list(audit["splits"]) == ["4k", "communities"]
    manifest = json.loads((folder / "manifest.json").read_bytes())["communities"]
    script = f"""
from datasets import load_dataset
from personamem.loaders.personabench import load_personabench
for split, noise in (("noise_0", 0.0), ("noise_07", 0.7)):
    documents = load_dataset("own/bench", "documents", split=split, revision="v1.0.0")
    archives = load_personabench("own/bench@v1.0.0").archives(noise)
    assert documents.num_rows == sum(len(archive.sessions) for archive in archives)
    assert documents.num_rows == {manifest["splits"]!r}[split]["sessions"]
questions = load_dataset("own/bench", "open_questions", split="noise_05", revision="v1.0.0")
assert questions.num_rows == {manifest["questions"]}
"""
    environment = clean_environment(hub.endpoint, tmp_path / "home")
    environment["HF_DATASETS_CACHE"] = str(tmp_path / "datasets")
    run_program([sys.executable, "-c", script], environment)
