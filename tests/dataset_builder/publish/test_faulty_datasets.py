"""What is wrong with the dataset itself is found before anything is sent."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hub import TOKEN, Hub
from publishing import (
    REPO,
    Publish,
    Release,
    write_audit,
    write_manifest,
)
from refusals import assert_refused


def cut_a_table(folder: Path) -> None:
    path = folder / "contexts/4k.parquet"
    path.write_bytes(path.read_bytes()[:-1])


def flip_a_byte(folder: Path) -> None:
    path = folder / "benchmark/4k.parquet"
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def remove_a_file(folder: Path) -> None:
    (folder / "questions_4k.csv").unlink()


def remove_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def change_the_rows(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["files"]["annotations/4k.parquet"]["rows"] = 27
    write_manifest(folder, manifest)


def lead_out_of_the_folder(folder: Path) -> None:
    (folder.parent / "secret").write_text("secret")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["files"]["../secret"] = manifest["files"].pop("questions_4k.csv")
    write_manifest(folder, manifest)


def promise_a_config(folder: Path) -> None:
    card = folder / "README.md"
    card.write_text(card.read_text().replace("- config_name: contexts", "- config_name: context"))
    card.write_text(card.read_text().replace("path: contexts/4k", "path: contexts/8k"))


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (cut_a_table, "contexts/4k.parquet was changed or cut off: bytes is"),
        (flip_a_byte, "benchmark/4k.parquet was changed or cut off: sha256 is"),
        (remove_a_file, "questions_4k.csv is missing although manifest.json lists it"),
        (remove_the_manifest, "has no manifest.json"),
        (change_the_rows, "annotations/4k.parquet was changed or cut off: rows is 28"),
        (lead_out_of_the_folder, "'../secret' is no file of a dataset. Accepted: relative paths"),
        (promise_a_config, "config 'context' does not load"),
        (shutil.rmtree, "No dataset folder"),
    ],
)
def test_a_dataset_at_fault(
    hub: Hub, publish: Publish, release: Release, spoil: Callable[[Path], None], words: str
) -> None:
    folder = release()
    spoil(folder)
    assert_refused(hub, publish(folder, "v1.0.0"), 2, words)
    assert REPO not in hub.repos


def test_a_dataset_that_fails_its_audit(hub: Hub, publish: Publish, release: Release) -> None:
    folder = release()
    audit = json.loads((folder / "audit.json").read_bytes())
    audit["parts"]["4k"]["findings"][5]["passed"] = False
    check = audit["parts"]["4k"]["findings"][5]["check"]
    write_audit(folder, audit)
    assert_refused(hub, publish(folder, "v1.0.0"), 1, "fails the audit", f"Failed: 4k: {check}.")


def test_an_edited_audit_is_not_believed(hub: Hub, publish: Publish, release: Release) -> None:
    """A verdict turned by hand: the audit runs again, and says what it said."""
    folder = release()
    before = json.loads((folder / "audit.json").read_bytes())
    edited = json.loads((folder / "audit.json").read_bytes())
    edited["parts"]["4k"]["findings"][5]["passed"] = False
    (folder / "audit.json").write_text(json.dumps(edited))
    done = publish(folder, "v1.0.0", "--dry-run", token=None)
    assert done.code == 0, done.errors
    assert "audit.json is not used: it was edited: its content does not match" in done.errors
    after = json.loads((folder / "audit.json").read_bytes())
    assert after["parts"] == before["parts"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "audit.json is not valid UTF-8 JSON: it is nested too deeply. Delete it"),
        ('{"parts": NaN}', "audit.json is not valid UTF-8 JSON: NaN is no JSON value. Delete it"),
        ("{", "audit.json is not valid UTF-8 JSON: "),
    ],
)
def test_an_audit_that_is_no_json_is_one_error(
    hub: Hub, publish: Publish, release: Release, text: str, words: str
) -> None:
    folder = release()
    (folder / "audit.json").write_text(text)
    assert_refused(hub, publish(folder, "v1.0.0"), 2, words)


def empty_the_splits(manifest: dict[str, Any]) -> None:
    manifest["families"]["personamem"]["splits"]["4k"] = {}


def lose_a_family(manifest: dict[str, Any]) -> None:
    del manifest["families"]["personamem"]["splits"]


def add_an_unknown_family(manifest: dict[str, Any]) -> None:
    manifest["families"]["else"] = manifest["families"]["personamem"]


def count_below_zero(manifest: dict[str, Any]) -> None:
    manifest["families"]["personamem"]["splits"]["4k"]["questions"] = -3


def nest_the_config(manifest: dict[str, Any]) -> None:
    manifest["config"] = "x"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (empty_the_splits, "families.personamem.splits.4k.budget_tokens: Field required"),
        (lose_a_family, "families.personamem.splits: Field required"),
        (add_an_unknown_family, "Unknown family 'else'"),
        (count_below_zero, "families.personamem.splits.4k.questions: "),
        (nest_the_config, "manifest.json: config: "),
    ],
)
def test_a_manifest_that_cannot_be_is_one_error(
    hub: Hub,
    publish: Publish,
    release: Release,
    spoil: Callable[[dict[str, Any]], None],
    words: str,
) -> None:
    folder = release()
    manifest = json.loads((folder / "manifest.json").read_bytes())
    spoil(manifest)
    write_manifest(folder, manifest)
    assert_refused(hub, publish(folder, "v1.0.0"), 2, words)


def test_an_audit_of_another_manifest_is_made_anew(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    audit = json.loads((folder / "audit.json").read_bytes())
    audit["manifest_sha256"] = "0" * 64
    (folder / "audit.json").write_text(json.dumps(audit))
    table = folder / "questions_4k.csv"
    table.write_bytes(table.read_bytes().replace(b"(a)", b"(b)", 1))
    manifest = json.loads((folder / "manifest.json").read_bytes())
    digest = hashlib.sha256(table.read_bytes()).hexdigest()
    manifest["files"]["questions_4k.csv"]["sha256"] = digest
    (folder / "manifest.json").write_text(json.dumps(manifest))
    done = publish(folder, "v1.0.0", "--dry-run", token=None)
    assert_refused(hub, done, 1, "audit.json is not used: it is about another dataset")
    errors = " ".join(done.errors.split())
    assert "Failed: 4k: " in errors
    assert "4k: mirrors" in errors


def test_the_token_is_in_no_file(hub: Hub, publish: Publish, release: Release) -> None:
    folder = release()
    assert publish(folder, "v1.0.0").code == 0
    for place in (folder, hub.store.folder):
        for path in place.rglob("*"):
            assert not path.is_file() or TOKEN.encode() not in path.read_bytes()
