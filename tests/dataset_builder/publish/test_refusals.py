"""What is refused: names, tags, tokens, repositories, datasets at fault. Nothing is sent then."""

import json

import pytest
from hub import READ_TOKEN, Hub
from hub_http import Fault
from hub_store import file_line
from publishing import (
    REPO,
    Publish,
    Release,
    read_files,
    read_plan,
)
from refusals import assert_refused


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
