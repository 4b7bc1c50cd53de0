"""Releases: what is sent, in how many commits, when it is tagged, and what can be loaded after."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from forking_cli import ForkingCli
from hub import TOKEN, Hub
from hub_http import Fault
from hub_store import file_line
from huggingface_hub import metadata_load
from publishing import (
    REPO,
    Publish,
    Release,
    clean_environment,
    read_files,
    read_plan,
    run_program,
    write_manifest,
    write_results,
)

from personamem.loaders.formats.manifest import hash_file

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
    folder = release()
    plan = folder.with_name("plan.json")
    done = publish(
        *(folder, "v1.0.0", "--dry-run", "--json", plan),
        token=None,
        endpoint="http://127.0.0.1:9",
    )
    files = {file["name"]: file for file in json.loads(plan.read_text())["files"]}
    assert files["manifest.json"]["size"] == (folder / "manifest.json").stat().st_size
    assert files["manifest.json"]["change"] == "upload"
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
    assert "not list them: .cache/huggingface/x, .hidden, contexts/.4k.partial, notes.txt" in (
        " ".join(done.output.split())
    )
    assert json.loads(there["audit.json"])["source"] == "personamem 1.0.0"


def test_scores_come_onto_the_card(
    hub: Hub, publish: Publish, release: Release, tmp_path: Path
) -> None:
    folder = release()
    results = write_results(tmp_path / "results.json", str(folder))
    assert publish(folder, "v1.0.0", "--results", results).code == 0
    card = (hub.store.folder_of(REPO, "v1.0.0") / "README.md").read_text(encoding="utf-8")
    assert "| `owner/model` | `personamem_4k` | 28 | 50.0 % | 10.0 % |" in card
    assert metadata_load(folder / "README.md")["eval_results"][1]["value"] == 0.25
    names = ("controls", "models")
    assert [f"](pictures/{name}.svg)" in card for name in names] == [True, True]
    there = read_files(hub.store.folder_of(REPO, "v1.0.0"))
    assert b"owner/model, personamem_4k_ll, overall: 25.0 %" in there["pictures/models.svg"]
    # A release without results shows none, and an earlier picture goes.
    assert publish(folder, "v1.0.0", "--dry-run", token=None).code == 0
    assert [(folder / f"pictures/{name}.svg").is_file() for name in names] == [True, False]
    assert "(pictures/models.svg)" not in (folder / "README.md").read_text(encoding="utf-8")


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


def test_both_revisions_load_as_their_cards_say(
    hub: Hub,
    cli: ForkingCli,
    publish: Publish,
    release: Release,
    tmp_path: Path,
) -> None:
    """Every command of both cards, and all rows of all configs by what their commands import."""
    script, commands = "import os\n", []
    for version in ("1.0.0", "1.1.0"):
        assert publish(release(version), f"v{version}").code == 0
        folder = hub.store.folder_of(REPO, f"v{version}")
        card = (folder / "README.md").read_text(encoding="utf-8")
        blocks = re.findall(r"```(\w+)\n(.*?)```", card, re.DOTALL)
        python = [text for language, text in blocks if language == "python"]
        commands = [text for language, text in blocks if language == "bash"]
        assert (len(python), len(commands)) == (3, 4)
        script += f"os.chdir({str(folder)!r})\n{''.join(python)}"
        script += f"""
annotations = load_dataset("own/bench", "annotations", split="4k", revision="v{version}")
assert len(annotations) == len(dataset.questions) == len(list(dataset.pairs())) == 28
assert str(dataset).startswith("PersonaMem(source='own/bench@v{version}'")
assert load_dataset("own/bench", "benchmark", split="4k", revision="v{version}").num_rows == 28
assert load_dataset("own/bench", "contexts", split="4k", revision="v{version}").num_rows == 4
"""
    environment = clean_environment(hub.endpoint, tmp_path / "home")
    environment["HF_DATASETS_CACHE"] = str(tmp_path / "datasets")
    run_program([sys.executable, "-c", script], environment)
    evaluate, elsewhere, on_the_hub, compare = commands
    assert "--tasks personamem_4k " in elsewhere
    assert "inspect eval personamem/personamem_4k -T dataset=own/bench@v1.1.0 " in elsewhere
    # tests/dataset_builder/packaging/test_eval_yaml.py runs it.
    assert on_the_hub.startswith("inspect eval hf/own/bench --model ")
    evaluate = evaluate.replace("--model hf --model_args pretrained=MODEL", "--model dummy")
    assert evaluate.startswith("personamem eval own/bench@v1.1.0 --split 4k ")
    done = cli.run(*evaluate.split()[1:], "--limit", 2)
    assert done.code == 0, done.errors
    assert "personamem_4k" in done.output
    words = compare.replace("OTHER_VERSION", "own/bench@v1.0.0").split()
    assert words[:2] == ["personamem", "diff"]
    done = cli.run(*words[1:])
    assert done.code == 0, done.errors
    assert re.search(r"version +│ 1.1.0 │ 1.0.0", done.output)


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
    hub.requests.clear()
    done = publish(folder, "v1.0.0")
    assert done.code == 0
    assert "(the content was there already)" in done.output
    assert not hub.asked("preupload|batch"), "nothing is even offered again"
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


def test_versions_at_the_hub_are_compared_without_downloading_tables(
    hub: Hub, cli: ForkingCli, publish: Publish, release: Release
) -> None:
    first, second = release("1.0.0"), release("1.1.0")
    table = pq.read_table(second / "benchmark/4k.parquet").slice(1)
    pq.write_table(table, second / "benchmark/4k.parquet")
    hub.store.create(REPO)
    for folder, tag in ((first, "v1.0.0"), (second, "v1.1.0")):
        manifest = json.loads((folder / "manifest.json").read_bytes())
        record = manifest["files"]["benchmark/4k.parquet"]
        record["sha256"] = hash_file(folder / "benchmark/4k.parquet")
        write_manifest(folder, manifest)
        lines = [file_line(name, body) for name, body in read_files(folder).items()]
        hub.repos[REPO].tags[tag] = hub.store.commit(REPO, "main", lines, tag)
    report = first / "diff.json"
    done = cli.run("diff", f"{REPO}@v1.0.0", f"{REPO}@v1.1.0", "--json", report)
    assert done.code == 0, done.errors
    (split,) = json.loads(report.read_text())["splits"]
    assert len(split["tables"]["benchmark"]["removed"]) == 1
    assert not hub.asked("resolve/.*/(contexts|annotations)/")


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
