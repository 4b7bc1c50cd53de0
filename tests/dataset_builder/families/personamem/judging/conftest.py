"""Logged replies to the specimen's open questions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from version2_specimen import write_specimen

from personamem.loaders.personamem.version2_dataset import load_version2
from personamem.tasks.personamem_v2.scoring import make_doc

Reply = Callable[[dict[str, Any]], str]


@pytest.fixture(scope="session")
def write_samples(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return a function that writes the samples of an open run, as lm-eval does."""
    source = write_specimen(tmp_path_factory.mktemp("release"), with_secrets=True)
    version2 = load_version2(source, "32k")
    docs = [make_doc(entry, "32k", "corrected", "open") for entry in version2.entries]

    def write(folder: Path, reply: Reply = lambda doc: doc["gold"]) -> Path:
        path = folder / "model" / "samples_personamem_v2_32k_open_2026-01-01T00-00-00.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [{"doc": doc, "resps": [[reply(doc)]]} for doc in docs]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path

    return write
