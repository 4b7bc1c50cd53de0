"""The manifest: what a dataset is, from what it was made, and the hash of every file."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from personamem.dataset_builder.core.config import BuildConfig
from personamem.dataset_builder.families.personamem.tables import hash_file
from personamem.loaders.formats.schema import SIZES

MANIFEST = "manifest.json"
MADE_WITH = ("personamem", "bpe-openai", "pyarrow")


def summarise_split(
    size: str, benchmark: Sequence[Mapping[str, Any]], context_tokens: Sequence[int]
) -> dict[str, Any]:
    """Return the counts of one split; ``context_tokens`` are o200k_base tokens per context."""
    return {
        "budget_tokens": SIZES[size],
        "contexts": len(context_tokens),
        "questions": len(benchmark),
        "quads": len(benchmark) // 4,
        "personas": len({row["persona_id"] for row in benchmark}),
        "tokens": sum(context_tokens),
        "min_context_tokens": min(context_tokens),
        "max_context_tokens": max(context_tokens),
        "question_types": _count(row["question_type"] for row in benchmark),
        "topics": _count(row["topic"] for row in benchmark),
        "letters": _count(row["correct_answer"][1] for row in benchmark),
    }


def make_manifest(
    config: BuildConfig,
    folder: Path,
    splits: Mapping[str, Mapping[str, Any]],
    communities: Mapping[str, Any] | None,
    rows: Mapping[str, int],
    checks: Mapping[str, Any],
    writer: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the manifest of the files now in ``folder``.

    ``communities`` are the counts of the open questions, None without them; ``rows`` are row counts
    by file name; ``writer`` is what is known of a model's writing.
    """
    files = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = path.relative_to(folder).as_posix()
        files[name] = {"sha256": hash_file(path), "bytes": path.stat().st_size}
        if name in rows:
            files[name]["rows"] = rows[name]
    return {
        "name": config.name,
        "version": config.version,
        "config": config.model_dump(mode="json"),
        "config_sha256": config.fingerprint(),
        "seed": config.seed,
        "writer": dict(writer or {"name": config.writer, "model": None}),
        "tokenizer": "o200k_base",
        "made_with": {package: version(package) for package in MADE_WITH},
        "splits": dict(splits),
        **({"communities": dict(communities)} if communities else {}),
        "files": files,
        "checks": dict(checks),
    }


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write manifest.json, UTF-8 with a final newline."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def _count(values: Any) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
