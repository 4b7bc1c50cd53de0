"""Making the manifest of a dataset that was just built."""

import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.base import BuiltFamily
from personamem.loaders.formats.manifest import (
    MANIFEST,
    FamilyRecord,
    FileRecord,
    Manifest,
    WriterRecord,
    hash_file,
)
from personamem.loaders.formats.tokens import TOKENIZER

MADE_WITH = ("personamem", "bpe-openai", "pyarrow")


def make_manifest(
    config: BuildConfig, folder: Path, built: Mapping[str, BuiltFamily], writer: WriterRecord
) -> Manifest:
    """Return the manifest of the files now in ``folder``; ``built`` is what each family wrote."""
    rows = {name: count for family in built.values() for name, count in family.rows.items()}
    files = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        files[name] = FileRecord(
            sha256=hash_file(path), bytes=path.stat().st_size, rows=rows.get(name)
        )
    return Manifest(
        name=config.name,
        version=config.version,
        config=config.as_json(),
        config_sha256=config.fingerprint(),
        seed=config.seed,
        writer=writer,
        tokenizer=TOKENIZER,
        made_with={package: version(package) for package in MADE_WITH},
        families={
            name: FamilyRecord(**family.summary, checks=family.checks)
            for name, family in built.items()
        },
        files=files,
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write manifest.json, UTF-8 with a final newline."""
    data = manifest.model_dump(mode="json", exclude_none=True)
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def count_built(manifest: Manifest) -> dict[str, Any]:
    """Return what was built as plain values: bytes, rows of files, counts of splits by family."""
    return {
        "name": manifest.name,
        "version": manifest.version,
        "bytes": sum(file.bytes for file in manifest.files.values()),
        "rows": {name: file.rows for name, file in manifest.files.items() if file.rows is not None},
        "families": {name: record.splits for name, record in manifest.families.items()},
    }
