"""What is refused: names, tags, tokens, repositories, datasets at fault. Nothing is sent then."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forking_cli import Finished
from hub import READ_TOKEN, TOKEN, Hub
from hub_http import Fault
from hub_store import file_line
from publishing import (
    REPO,
    Publish,
    Release,
    read_files,
    read_plan,
    write_audit,
    write_manifest,
)


def assert_refused(hub: Hub, done: Finished, code: int, *words: str) -> None:
    assert done.code == code, done
    said = " ".join(done.errors.split())
    for word in words:
        assert word in said, said
    assert not hub.asked("^(PUT|POST .*/(commit|tag)/)")


@pytest.mark.parametrize("tag", ["1.0.0", "v1.0.1", "v1.0", "latest"])
def test_a_tag_that_is_not_the_version(
    hub: Hub, publish: Publish, release: Release, tag: str
) -> None:
    assert_refused(hub, publish(release(), tag), 2, f"Tag '{tag}'", "accepted: v1.0.0")
    assert not hub.requests


@pytest.mark.parametrize("version", ["1.0", "1.0.0-", "one"])
def test_a_version_that_is_none(hub: Hub, publish: Publish, release: Release, version: str) -> None:
    done = publish(release(version), f"v{version}")
    assert_refused(hub, done, 2, "manifest.json: version: ", f"(found '{version}')")


def test_a_version_that_is_not_semantic(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release("01.0.0"), "v01.0.0")
    assert_refused(hub, done, 2, "version '01.0.0' is not semantic")


@pytest.mark.parametrize("repo_id", ["bench", "a/b/c", "own/..", "own/be nch", "own/x.git"])
def test_a_repository_name_that_cannot_be(
    hub: Hub, publish: Publish, release: Release, repo_id: str
) -> None:
    done = publish(release(), "v1.0.0", "--repo-id", repo_id)
    assert_refused(hub, done, 2, f"Repository '{repo_id}' cannot be used")


@pytest.mark.parametrize("branch", ["refs/pr/1", "0" * 40, ""])
def test_a_revision_that_is_no_branch(
    hub: Hub, publish: Publish, release: Release, branch: str
) -> None:
    done = publish(release(), "v1.0.0", "--revision", branch)
    assert_refused(hub, done, 2, "is no branch")


def test_a_request_to_another_branch(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", "--revision", "next", "--create-pr")
    assert_refused(hub, done, 2, "Leave out --revision")


def test_no_token(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", token=None)
    assert_refused(hub, done, 2, "There is no token", "Set HF_TOKEN")
    assert not hub.requests


def test_a_wrong_token(hub: Hub, publish: Publish, release: Release) -> None:
    wrong = "hf_WrongTokenThatMustNotShow01234"
    done = publish(release(), "v1.0.0", token=wrong)
    assert_refused(hub, done, 2, "refuses the token", "Set HF_TOKEN")
    assert wrong not in json.dumps(hub.requests)


def test_a_token_that_cannot_be_sent(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", token="hf_secret\u2026word")
    assert_refused(hub, done, 2, "The token has characters that no token has", "Set HF_TOKEN")
    assert not hub.requests


def test_a_token_that_may_only_read(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", token=READ_TOKEN)
    assert_refused(hub, done, 2, "the token has no right to own/bench", "write token")


def test_a_namespace_of_somebody_else(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", "--repo-id", "other/bench")
    assert_refused(hub, done, 2, "the token has no right to other/bench", "namespace")


def test_no_network(hub: Hub, publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", endpoint="http://127.0.0.1:9")
    assert_refused(hub, done, 1, "no answer from http://127.0.0.1:9", "Nothing was tagged")


@pytest.mark.parametrize(
    ("pattern", "status", "words"),
    [
        ("^PUT /lfs/", 507, "the Hub has no room (507"),
        ("^POST .*/commit/", 403, "the token has no right to own/bench"),
        ("^POST .*/tag/", 418, "Tagging v1.0.0: the Hub answered 418"),
        ("^GET .*/resolve/", 418, "Reading back: the Hub answered 418"),
    ],
)
def test_a_failure_of_the_hub_is_told_and_nothing_is_tagged(
    hub: Hub, publish: Publish, release: Release, pattern: str, status: int, words: str
) -> None:
    folder = release()
    hub.faults = [Fault(pattern, status=status)]
    done = publish(folder, "v1.0.0")
    assert done.code == (2 if status == 403 else 1)
    assert words in done.errors
    assert not hub.repos[REPO].tags
    hub.faults = []
    assert publish(folder, "v1.0.0").code == 0
    assert hub.repos[REPO].messages == ["initial", "Release v1.0.0"]


def test_a_branch_that_moves_in_the_meantime_is_not_overwritten(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()

    def announce() -> None:
        hub.store.commit(REPO, "main", [file_line("README.md", b"# Soon")], "announce")

    hub.faults = [Fault("^POST .*/preupload/", first=announce, late=False, status=503, times=1)]
    done = publish(folder, "v1.0.0")
    assert done.code == 1
    assert "own/bench has changed in the meantime" in done.errors
    assert hub.repos[REPO].messages == ["initial", "announce"]
    assert publish(folder, "v1.0.0").code == 0


def test_a_commit_that_is_not_what_was_sent_is_not_tagged(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()

    hub.after_commit = lambda repo: repo.commits[repo.branches["main"]].pop("contexts/4k.parquet")
    done = publish(folder, "v1.0.0")
    assert done.code == 1
    assert "is not what was uploaded: contexts/4k.parquet" in done.errors
    assert not hub.repos[REPO].tags


def test_a_repository_with_other_content_is_kept_unless_told(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    hub.store.create(REPO)
    model = file_line("model.bin", b"weights")
    hub.store.commit(REPO, "main", [model, file_line("manifest.json", b"{}")], "mine")
    for words in ((), ("--dry-run",)):
        done = publish(folder, "v1.0.0", *words)
        assert_refused(hub, done, 2, "own/bench holds other content", "model.bin", "--replace")
    assert "model.bin" in hub.repos[REPO].commits[hub.repos[REPO].branches["main"]]
    done = publish(folder, "v1.0.0", "--replace")
    assert done.code == 0, done.errors
    assert read_plan(done.output)["model.bin"] == "deleted"
    assert read_files(hub.store.folder_of(REPO, "v1.0.0")) == read_files(folder)


def test_a_new_repository_with_a_card_alone_is_no_other_content(
    hub: Hub, publish: Publish, release: Release
) -> None:
    hub.store.create(REPO)
    hub.store.commit(REPO, "main", [file_line("README.md", b"# Soon")], "announce")
    done = publish(release(), "v1.0.0")
    assert done.code == 0, done.errors
    assert read_plan(done.output)["README.md"] == "changed"


def test_a_tag_on_other_content_is_never_moved(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    assert publish(folder, "v1.0.0").code == 0
    before = dict(hub.repos[REPO].tags)
    hub.requests.clear()
    (folder / "README.md").write_text((folder / "README.md").read_text() + "\nEdited.\n")
    done = publish(folder, "v1.0.0")
    assert_refused(hub, done, 2, "a tag v1.0.0 on other content (README.md)", "never moved")
    assert "README.md was edited and is published as it is" in done.errors
    assert hub.repos[REPO].tags == before


def test_a_public_repository_does_not_take_a_private_release(
    hub: Hub, publish: Publish, release: Release
) -> None:
    hub.store.create(REPO)
    done = publish(release(), "v1.0.0", "--private")
    assert_refused(hub, done, 2, "exists and is public")


def test_a_tag_is_no_branch(hub: Hub, publish: Publish, release: Release) -> None:
    assert publish(release("1.0.0"), "v1.0.0").code == 0
    hub.requests.clear()
    done = publish(release("1.1.0"), "v1.1.0", "--revision", "v1.0.0")
    assert_refused(hub, done, 2, "--revision v1.0.0 is a tag")


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
    assert "Failed: 4k: mirrors" in " ".join(done.errors.split())


def test_the_token_is_in_no_file(hub: Hub, publish: Publish, release: Release) -> None:
    folder = release()
    assert publish(folder, "v1.0.0").code == 0
    for place in (folder, hub.store.folder):
        for path in place.rglob("*"):
            assert not path.is_file() or TOKEN.encode() not in path.read_bytes()
