"""Releases to another branch and as pull requests, which a second run continues."""

import json
from pathlib import Path

import pytest
from forking_cli import ForkingCli
from hub import Hub
from hub_discussions import start_discussion
from hub_http import Fault
from hub_store import Repo
from publishing import (
    REPO,
    Publish,
    Release,
    read_files,
    write_manifest,
)

from personamem.dataset_builder.publish.local import describe_file

ROOT = Path(__file__).resolve().parents[3]


def test_a_branch_gets_the_release_and_main_stays(
    hub: Hub, publish: Publish, release: Release
) -> None:
    assert publish(release("1.0.0"), "v1.0.0").code == 0
    done = publish(release("1.0.1"), "v1.0.1", "--revision", "maintenance/1.0")
    assert done.code == 0, done.errors
    repo = hub.repos[REPO]
    assert repo.branches["main"] == repo.tags["v1.0.0"]
    assert repo.branches["maintenance/1.0"] == repo.tags["v1.0.1"] != repo.tags["v1.0.0"]


def test_a_pull_request_is_tagged_when_it_is_merged(
    hub: Hub, publish: Publish, release: Release
) -> None:
    first, second = release("1.0.0"), release("1.1.0")
    assert publish(first, "v1.0.0").code == 0
    asked = publish(second, "v1.1.0", "--create-pr")
    assert asked.code == 0, asked.errors
    assert "/discussions/1 holds the release. When it is merged" in asked.output
    repo = hub.repos[REPO]
    assert list(repo.tags) == ["v1.0.0"]
    assert repo.branches["main"] == repo.tags["v1.0.0"]
    assert repo.discussions[1].status == "open", "a draft cannot be merged"
    merge(repo, 1)
    merged = publish(second, "v1.1.0", "--create-pr")
    assert merged.code == 0, merged.errors
    assert repo.tags["v1.1.0"] == repo.pull_requests[1]
    assert list(repo.discussions) == [1]


def merge(repo: Repo, number: int) -> None:
    repo.branches["main"] = repo.pull_requests[number]
    repo.discussions[number].status = "merged"


def test_a_second_run_continues_the_open_pull_request(
    hub: Hub, publish: Publish, release: Release
) -> None:
    """Among others of the same title: closed, merged, of somebody else, and no pull request."""
    folder = release("1.0.0")
    repo = hub.store.create(REPO)
    title = "Release v1.0.0"
    for author, is_pull_request, status in (
        ("own", True, "closed"),
        ("own", True, "merged"),
        ("somebody", True, "open"),
        ("own", False, "open"),
    ):
        start_discussion(repo, title, author=author, pull_request=is_pull_request, status=status)
    start_discussion(repo, "Release v0.9.0", pull_request=True, status="open")
    others = dict(repo.pull_requests)
    assert publish(folder, "v1.0.0", "--create-pr").code == 0
    commit = repo.pull_requests[6]
    hub.requests.clear()
    again = publish(folder, "v1.0.0", "--create-pr")
    assert again.code == 0, again.errors
    assert "/discussions/6 holds the release" in again.output
    assert not hub.asked("commit|POST .*/discussions"), "nothing is sent again"
    # The dataset is built anew: the same request gets the new content.
    (folder / "README.md").unlink()
    (folder / "CHANGELOG.md").write_text("# Another\n")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    record = describe_file(folder / "CHANGELOG.md")
    manifest["files"]["CHANGELOG.md"] = {"sha256": record.sha256, "bytes": record.size}
    write_manifest(folder, manifest)
    changed = publish(folder, "v1.0.0", "--create-pr")
    assert changed.code == 0, changed.errors
    assert list(repo.discussions) == [1, 2, 3, 4, 5, 6]
    assert repo.pull_requests == {**others, 6: repo.pull_requests[6]}
    assert repo.pull_requests[6] != commit
    assert read_files(hub.store.folder_of(REPO, "refs/pr/6")) == read_files(folder)
    assert not repo.tags


@pytest.mark.parametrize(
    ("pattern", "late"),
    [
        (r"^POST .*/discussions$", True),
        (r"^POST .*/commit/refs", False),
        (r"^POST .*/commit/refs", True),
        (r"^POST .*/discussions/1/status", False),
    ],
)
def test_a_pull_request_killed_anywhere_is_completed_by_the_next_run(
    hub: Hub, cli: ForkingCli, publish: Publish, release: Release, pattern: str, late: bool
) -> None:
    folder = release()
    hub.store.create(REPO)
    hub.faults = [Fault(pattern, first=cli.kill_run, late=late, times=1)]
    assert publish(folder, "v1.0.0", "--create-pr").code == -9
    done = publish(folder, "v1.0.0", "--create-pr")
    assert done.code == 0, done.errors
    repo = hub.repos[REPO]
    assert {number: each.status for number, each in repo.discussions.items()} == {1: "open"}
    assert repo.messages == ["initial", "Release v1.0.0"], "nothing is committed twice"
    assert read_files(hub.store.folder_of(REPO, "refs/pr/1")) == read_files(folder)
    merge(repo, 1)
    assert publish(folder, "v1.0.0").code == 0
    assert repo.tags == {"v1.0.0": repo.pull_requests[1]}
