"""A release with open questions: audited with the rest, and loaded at every noise level."""

import json
import sys
from pathlib import Path

import pytest
from hub import Hub
from publishing import Publish, clean_environment, run_program
from tiny_families import make_tiny_config

from personamem.dataset_builder.packaging.build import build_dataset
from personamem.loaders.formats.manifest import read_manifest

pytestmark = pytest.mark.system


def test_open_questions_are_audited_and_load_at_every_noise_level(
    hub: Hub, publish: Publish, tmp_path: Path
) -> None:
    folder = tmp_path / "open"
    build_dataset(make_tiny_config("personamem", "personabench"), folder, workers=1)
    done = publish(folder, "v1.0.0")
    assert done.code == 0, done.errors
    audit = json.loads((folder / "audit.json").read_bytes())
    assert list(audit["parts"]) == ["dataset", "4k", "communities"]
    record = read_manifest(folder / "manifest.json").families["personabench"]
    sessions = {split: counts["sessions"] for split, counts in record.splits.items()}
    script = f"""
from datasets import load_dataset
from personamem.loaders.personabench import load_personabench
for split, noise in (("noise_0", 0.0), ("noise_07", 0.7)):
    documents = load_dataset("own/bench", "documents", split=split, revision="v1.0.0")
    archives = load_personabench("own/bench@v1.0.0").archives(noise)
    assert documents.num_rows == sum(len(archive.sessions) for archive in archives)
    assert documents.num_rows == {sessions!r}[split]
questions = load_dataset("own/bench", "open_questions", split="noise_05", revision="v1.0.0")
assert questions.num_rows == {(record.model_extra or {})["questions"]}
"""
    environment = clean_environment(hub.endpoint, tmp_path / "home")
    environment["HF_DATASETS_CACHE"] = str(tmp_path / "datasets")
    run_program([sys.executable, "-c", script], environment)
