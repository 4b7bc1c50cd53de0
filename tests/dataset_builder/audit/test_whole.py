"""The dataset as a whole: its manifest, files of no part, and that each file is read once."""

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.audit.whole import WHOLE
from personamem.loaders.formats import manifest as manifests
from personamem.loaders.formats.errors import InvalidInputError

pytestmark = pytest.mark.system

Manifest = dict[str, Any]


@pytest.fixture
def copied(dataset: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(dataset, tmp_path / "copy"))


def find_failures(folder: Path) -> dict[str, tuple[str, ...]]:
    source = AuditSource(folder)
    failures = source.audit_part(WHOLE, source.parts).failures
    return {finding.check: finding.rows for finding in failures}


def change_manifest(folder: Path, change: Callable[[Manifest], object]) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), "utf-8")


def test_a_sound_dataset_passes(dataset: Path) -> None:
    assert find_failures(dataset) == {}


@pytest.mark.parametrize(
    ("change", "row"),
    [
        (lambda m: m.update(config_sha256="0" * 64), "config_sha256"),
        (lambda m: m.update(seed=m["seed"] + 1), "seed"),
        (lambda m: m.update(name="another"), "name"),
        (lambda m: m.update(version="9.9.9"), "version"),
        (lambda m: m.update(tokenizer="cl100k_base"), "tokenizer"),
        (lambda m: m["writer"].update(name="openai"), "writer"),
        (lambda m: m["writer"].update(model="a-great-model"), "model"),
        (lambda m: m["writer"].update(prompts_sha256={"a": "b"}), "prompts_sha256"),
        (lambda m: m["config"].update(seed=99), "config_sha256"),
        (lambda m: m["config"].update(invented=1), "config cannot be used"),
        (lambda m: m["families"].pop("personamem"), "families"),
    ],
)
def test_facts_that_do_not_hold_are_found(
    change: Callable[[Manifest], object], row: str, copied: Path
) -> None:
    change_manifest(copied, change)
    (rows,) = find_failures(copied).values()
    assert any(row in found for found in rows)


def test_a_file_of_no_part_is_held_to_the_manifest(copied: Path) -> None:
    (copied / "CHANGELOG.md").write_text("Nothing changed.\n", "utf-8")
    (rows,) = find_failures(copied).values()
    assert "CHANGELOG.md" in rows[0]


@pytest.mark.parametrize("stated", [True, False], ids=["changed", "left out"])
def test_a_picture_has_to_show_what_the_manifest_states(copied: Path, stated: bool) -> None:
    """Also one whose hash the manifest has: it is drawn again."""
    path = copied / "pictures" / "personamem_questions.svg"
    path.write_text(path.read_text("utf-8").replace(": 4 (", ": 8 ("), "utf-8")
    record = {"sha256": manifests.hash_file(path), "bytes": path.stat().st_size}
    name = path.relative_to(copied).as_posix()
    if stated:
        change_manifest(copied, lambda m: m["files"].update({name: record}))
    else:
        change_manifest(copied, lambda m: m["files"].pop(name))
    (rows,) = find_failures(copied).values()
    assert rows == (f"{name} does not show what manifest.json states of personamem",)


def test_an_audit_of_all_parts_hashes_each_file_once(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: Counter[Path] = Counter()
    hash_file = manifests.hash_file

    def count(path: Path) -> str:
        hashed[path.resolve()] += 1
        return hash_file(path)

    monkeypatch.setattr(manifests, "hash_file", count)
    source = AuditSource(dataset)
    for part in source.parts:
        assert source.audit_part(part, source.parts, ["longest"]).failures == ()
    assert set(hashed.values()) == {1}
    named = json.loads((dataset / "manifest.json").read_text("utf-8"))["files"]
    # Lines of contexts are hashed as they are read.
    lines = {name for name in named if name.startswith("shared_contexts_")}
    assert {(dataset / name).resolve() for name in named.keys() - lines} == set(hashed)


def test_an_unknown_part_is_named(dataset: Path) -> None:
    with pytest.raises(InvalidInputError, match="Did you mean '32k'"):
        AuditSource(dataset).audit_part("32kk", ["32kk"])
