"""The manifest of a dataset that tests write by hand: what no reader looks at is made up."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def write_tiny_manifest(folder: Path, family: str, splits: Iterable[str]) -> None:
    """Write the manifest that fits the Parquet and JSON files of ``folder`` as they are now."""
    files = sorted((*folder.glob("*/*.parquet"), *folder.glob("[!m]*.json")))
    content = {
        "name": "Tiny",
        "version": "1.0.0",
        "config": {},
        "config_sha256": "0" * 64,
        "seed": 0,
        "writer": {"name": "template"},
        "tokenizer": "o200k_base",
        "made_with": {},
        "families": {family: {"splits": {split: {} for split in splits}}},
        "files": {path.relative_to(folder).as_posix(): describe_file(path) for path in files},
    }
    (folder / "manifest.json").write_text(json.dumps(content), encoding="utf-8")


def describe_file(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "rows": pq.read_metadata(path).num_rows if path.suffix == ".parquet" else None,
    }
