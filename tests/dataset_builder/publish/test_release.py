"""Releases: what is sent, in how many commits, when it is tagged, and what can be loaded after."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from forking_cli import ForkingCli
from hub import TOKEN, Fault, Hub
from publishing import REPO, Publish, Release, clean_environment, read_files, read_plan

ROOT = Path(__file__).resolve().parents[3]


def test_a_dry_run_compares_and_changes_nothing(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    done = publish(folder, "v1.0.0", "--dry-run", token=None)
    assert done.code == 0, done.errors
    assert set(read_plan(done.output).values()) == {"new"}
    assert set(read_plan(done.output)) == set(read_files(folder))
    assert "does not exist" in done.output
    assert hub.requests
    assert not hub.asked("^(POST|PUT|DELETE)")
    assert not hub.repos


def test_a_dry_run_needs_no_network(publish: Publish, release: Release) -> None:
    done = publish(release(), "v1.0.0", "--dry-run", token=None, endpoint="http://127.0.0.1:9")
    assert done.code == 0, done.errors
    assert set(read_plan(done.output).values()) == {"upload"}
    assert "Not compared. Looking at own/bench: no answer from http://127.0.0.1:9" in done.output


def test_upload_py_is_the_same_command(hub: Hub, release: Release, tmp_path: Path) -> None:
    folder = release()
    command = [sys.executable, ROOT / "upload.py", folder, "--repo-id", REPO, "--tag", "v1.0.0"]
    environment = {**clean_environment(hub.endpoint, tmp_path / "home"), "HF_TOKEN": TOKEN}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert hub.repos[REPO].tags == {"v1.0.0": hub.repos[REPO].branches["main"]}


def test_the_first_release_holds_exactly_the_dataset_and_is_tagged(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    for name in (".cache/huggingface/x", ".hidden", "contexts/.4k.partial", "notes.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("not for the world")
    done = publish(folder, "v1.0.0", "--private")
    assert done.code == 0, done.errors
    repo = hub.repos[REPO]
    assert repo.private
    assert repo.messages == ["initial", "Release v1.0.0"]
    assert repo.tags == {"v1.0.0": repo.branches["main"]}
    assert f"commit {repo.tags['v1.0.0']}" in done.output
    there = read_files(hub.store.folder_of(REPO, "v1.0.0"))
    here = read_files(folder)
    assert here.pop("notes.txt")
    assert there == {name: body for name, body in here.items() if not name.startswith(".")}
    assert "lists them not: .cache/huggingface/x, .hidden, contexts/.4k.partial, notes.txt" in (
        " ".join(done.output.split())
    )
    assert json.loads(there["audit.json"])["source"] == "personamem 1.0.0"


def test_a_second_release_deletes_what_is_gone_and_keeps_the_first(
    hub: Hub, publish: Publish, release: Release
) -> None:
    first, second = release("1.0.0", {"[old] notes.txt": b"old"}), release("1.1.0")
    assert publish(first, "v1.0.0").code == 0
    before = hub.repos[REPO].tags["v1.0.0"]
    plan = publish(second, "v1.1.0", "--dry-run", token=None)
    changes = dict(re.findall(r"│ (\[old\] notes.txt|[\w./]+) +│ +[\d,]+ │ (\w+) ", plan.output))
    assert changes["[old] notes.txt"] == "deleted"
    assert changes["manifest.json"] == changes["README.md"] == "changed"
    assert changes["contexts/4k.parquet"] == changes["questions_4k.csv"] == "unchanged"
    hub.requests.clear()
    done = publish(second, "v1.1.0")
    assert done.code == 0, done.errors
    assert not hub.asked("^PUT"), "unchanged tables are not sent again"
    repo = hub.repos[REPO]
    assert repo.tags == {"v1.0.0": before, "v1.1.0": repo.branches["main"]}
    assert read_files(hub.store.folder_of(REPO, "v1.0.0")) == read_files(first)
    assert read_files(hub.store.folder_of(REPO, "v1.1.0")) == read_files(second)
    assert ".gitattributes" in repo.commits[repo.tags["v1.1.0"]]


def test_both_revisions_load_with_datasets_and_with_our_loader(
    hub: Hub, publish: Publish, release: Release, tmp_path: Path
) -> None:
    for version in ("1.0.0", "1.1.0"):
        assert publish(release(version), f"v{version}").code == 0
    script = """
import json, sys
from datasets import load_dataset
from personamem.loaders import load_personamem
for tag in ("v1.0.0", "v1.1.0"):
    for config, rows in (("benchmark", 28), ("contexts", 4), ("annotations", 28)):
        assert load_dataset("own/bench", config, split="4k", revision=tag).num_rows == rows
    data = load_personamem(f"own/bench@{tag}", "4k")
    assert len(list(data.pairs())) == 28
"""
    environment = {**clean_environment(hub.endpoint, tmp_path / "home")}
    environment["HF_DATASETS_CACHE"] = str(tmp_path / "datasets")
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert hub.asked("resolve/v1.1.0/README.md")


def test_the_commands_of_the_published_card_run(
    hub: Hub,
    publish: Publish,
    release: Release,
    include_path: tuple[str, ...],
    tmp_path: Path,
) -> None:
    assert publish(release(), "v1.0.0").code == 0
    folder = hub.store.folder_of(REPO, "v1.0.0")
    blocks = re.findall(r"```(python|bash)\n(.*?)```", (folder / "README.md").read_text(), re.S)
    assert [language for language, _ in blocks] == ["python"] * 3 + ["bash"] * 2
    programs = {"python": [sys.executable, "-c"], "bash": ["bash", "-euc"]}
    environment = clean_environment(hub.endpoint, tmp_path / "home")
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    environment["HF_DATASETS_CACHE"] = str(tmp_path / "datasets")
    stand_in = " ".join(("--model dummy", *include_path, "--limit 2"))
    for language, text in blocks:
        text = text.replace("--model hf --model_args pretrained=MODEL", stand_in)
        text = text.replace("--apply_chat_template", "").replace("OTHER_VERSION", "own/bench")
        done = subprocess.run(
            [*programs[language], text],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{text}\n{done.stderr}"


@pytest.mark.parametrize(
    ("pattern", "late"),
    [
        (r"^POST /api/datasets/own/bench/tag/", False),
        (r"^POST /api/datasets/own/bench/commit/", True),
        (r"^PUT /lfs/", True),
        (r"^POST /api/repos/create", True),
    ],
)
def test_a_release_killed_anywhere_is_completed_by_the_next_run(
    hub: Hub, cli: ForkingCli, publish: Publish, release: Release, pattern: str, late: bool
) -> None:
    folder = release()
    hub.faults = [Fault(pattern, first=cli.kill_run, late=late, times=1)]
    assert publish(folder, "v1.0.0").code == -9
    assert REPO not in hub.repos or not hub.repos[REPO].tags
    done = publish(folder, "v1.0.0")
    assert done.code == 0, done.errors
    repo = hub.repos[REPO]
    assert repo.messages == ["initial", "Release v1.0.0"], "nothing is committed twice"
    assert repo.tags == {"v1.0.0": repo.branches["main"]}
    assert read_files(hub.store.folder_of(REPO, "v1.0.0")) == read_files(folder)


def test_an_answer_lost_after_the_commit_is_no_second_commit(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    hub.faults = [Fault("^POST .*/commit/", late=True, times=1)]
    lost = publish(folder, "v1.0.0")
    assert lost.code == 1
    assert "no answer from" in lost.errors
    assert "Nothing was tagged. Run the same command again" in lost.errors
    done = publish(folder, "v1.0.0")
    assert done.code == 0
    assert "(the content was there already)" in done.output
    assert hub.repos[REPO].messages == ["initial", "Release v1.0.0"]


def test_publishing_again_is_no_work_and_no_error(
    hub: Hub, publish: Publish, release: Release
) -> None:
    folder = release()
    assert publish(folder, "v1.0.0").code == 0
    hub.requests.clear()
    done = publish(folder, "v1.0.0")
    assert done.code == 0
    assert "Already published: own/bench, v1.0.0" in done.output
    assert not hub.asked("^(POST|PUT)")


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
    assert "/discussions/1" in asked.output
    repo = hub.repos[REPO]
    assert list(repo.tags) == ["v1.0.0"]
    assert repo.branches["main"] == repo.tags["v1.0.0"]
    repo.branches["main"] = repo.pull_requests[1]
    merged = publish(second, "v1.1.0")
    assert merged.code == 0
    assert repo.tags["v1.1.0"] == repo.pull_requests[1]


def test_the_clients_other_way_to_upload_works_too(
    hub: Hub, publish: Publish, release: Release
) -> None:
    """With hf_xet, the client uploads in a pipeline; the Hub then decides what needs xet."""
    hub.large = False
    folder = release()
    done = publish(folder, "v1.0.0", xet=True)
    assert done.code == 0, done.errors
    assert hub.repos[REPO].messages == ["initial", "Release v1.0.0"]
    assert read_files(hub.store.folder_of(REPO, "v1.0.0")) == read_files(folder)
