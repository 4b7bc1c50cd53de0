"""A dataset of ours: tables and official layout hold the same, and damage is named."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from calling import call

from personamem.dataset_builder.core.findings import GateError
from personamem.dataset_builder.families.personalens import build
from personamem.dataset_builder.families.personalens.audit import LAYOUT, read_users
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.manifest import hash_file
from personamem.loaders.personalens import load_personalens
from personamem.loaders.personalens.schema import SCHEMAS

pytestmark = pytest.mark.system


@pytest.fixture
def copy(tiny_dataset: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_dataset, tmp_path / "data"))


def test_the_official_layout_is_read_back_to_the_same_records(tiny_dataset: Path) -> None:
    ours = load_personalens(tiny_dataset)
    assert (len(ours.profiles), len(ours.tasks), len(ours.preference_types)) == (24, 111, 91)
    for folder in ("official", "official/data", "official/data/profile"):
        official = load_personalens(tiny_dataset / folder)
        for name in ("profiles", "tasks", "scenarios", "preference_types"):
            assert getattr(official, name) == getattr(ours, name)
        # What the paper does not name is counted; nothing else is astray.
        assert set(official.strays) == {"situations with another environment"}


def test_official_files_are_in_the_form_of_the_release(tiny_dataset: Path) -> None:
    folder = tiny_dataset / "official" / "data"
    profile = json.loads((folder / "profile/user3/profile.json").read_text("utf-8"))
    assert list(profile) == ["affinities", "demographics", "interests", "interactions"]
    assert profile["demographics"]["user_id"] == "user3"
    assert set(profile["interests"].values()) == {0, 1}
    tasks = json.loads((folder / "profile/user3/tasks.json").read_text("utf-8"))
    assert list(tasks) == [f"Task {number}" for number in range(1, len(tasks) + 1)]
    assert tasks["Task 1"]["task_id"].startswith("SD-")
    assert len(list((folder / "task").iterdir())) == 21


def test_samples_leave_quads_out_that_are_not_whole(tiny_dataset: Path) -> None:
    whole, part = load_personalens(tiny_dataset), load_personalens(tiny_dataset, sample=20)
    assert len(part.profiles) == 20
    assert 0 < len(part.quads) < len(whole.quads)
    assert len(part.quads) == 4 * len({question.quad_id for question in part.quads})
    assert {scenario.user_id for scenario in part.scenarios} == set(part.profile_by_id)
    with pytest.raises(InvalidInputError, match="A sample of 30 users was asked for"):
        load_personalens(tiny_dataset, sample=30)


def rewrite(folder: Path, table: str, **values: object) -> None:
    """Change the first row of a table, and the manifest with it."""
    path = folder / table / "users.parquet"
    rows = pq.read_table(path, partitioning=None).to_pylist()
    rows[0].update(values)
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMAS[table]), path)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    entry = manifest["files"][f"{table}/users.parquet"]
    entry.update(sha256=hash_file(path), bytes=path.stat().st_size)
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize(
    ("table", "values", "message"),
    [
        ("profiles", {"user_id": "user1"}, "user_id 'user1' occurs twice"),
        ("profiles", {"interests": ["Films"]}, "interests has 'Films'.*Accepted: Alarm, Books"),
        ("profiles", {"preferences": [
            {"domain": "Books", "type": "Smell", "form": "single", "values": ["old"]}
        ]}, "the type 'Smell' of 'Books'"),
        ("tasks", {"domains": []}, r"domains is \[\]"),
        ("tasks", {"kind": "XD"}, "kind is 'XD'. Accepted: SD, MD"),
        ("scenarios", {"user_id": "user99"}, "user 'user99'"),
        ("scenarios", {"situation": None}, "situation is None"),
        ("quads", {"options": ["a", "b", "c"]}, "four options"),
        ("quads", {"answer_index": 4}, "four options"),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_are_named(
    copy: Path, table: str, values: dict[str, object], message: str
) -> None:
    rewrite(copy, table, **values)
    with pytest.raises(DatasetError, match=message) as caught:
        load_personalens(copy)
    assert f"{table}/users.parquet, row" in str(caught.value) or table == "tasks"


def test_a_task_of_a_masked_domain_is_refused(copy: Path) -> None:
    data = load_personalens(copy)
    first = data.scenarios[0]
    interests = set(data.profile_by_id[first.user_id].interests)
    masked = next(task for task in data.tasks if not interests.issuperset(task.domains))
    rewrite(copy, "scenarios", task_id=masked.task_id)
    with pytest.raises(DatasetError, match="is not interested in"):
        load_personalens(copy)


def test_a_manifest_without_users_is_refused(copy: Path) -> None:
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    del manifest["files"]["quads/users.parquet"]
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(DatasetError, match="has no PersonaLens"):
        load_personalens(copy)


def test_an_audit_finds_a_layout_that_differs(copy: Path) -> None:
    assert read_users(copy).violations.count(LAYOUT) == 0
    path = copy / "official/data/profile/user2/profile.json"
    path.write_text(path.read_text("utf-8").replace('"Alarm": 1', '"Alarm": 0'), "utf-8")
    assert read_users(copy).violations.rows(LAYOUT)[0] == "profiles"
    path.unlink()
    assert "profile.json is missing" in read_users(copy).violations.rows(LAYOUT)[0]


def test_a_build_refuses_a_contradiction(
    monkeypatch: pytest.MonkeyPatch, tiny_dataset: Path
) -> None:
    data = load_personalens(tiny_dataset)
    person = data.profiles[0]
    young = replace(person.demographics, age="18-24 years old", employment_status="Retired")
    broken = replace(data, profiles=(replace(person, demographics=young), *data.profiles[1:]))
    with pytest.raises(GateError, match=r"consistent profiles.*user0: retired before"):
        build.require_sound(broken)


def test_stats_prints_tables_json_and_contradictions(tiny_dataset: Path, copy: Path) -> None:
    done = call("stats", tiny_dataset, "--check", "--draws", 1)
    assert done.returncode == 0, done.stderr
    for word in ("SD scenarios", "Rental Cars", "Self-BLEU over words", "0 contradictions"):
        assert word in done.stdout
    figures = json.loads(call("stats", tiny_dataset, "--json", "--sample", 20, "--draws", 1).stdout)
    assert figures["users"] == 20
    assert 0 < figures["diversity"]["self_bleu_words"] < 1
    path = copy / "official/data/profile/user2/profile.json"
    content = json.loads(path.read_text("utf-8"))
    content["affinities"]["Restaurants"]["Diet"] = "vegan"
    content["affinities"]["Restaurants"]["Favourite Dishes"] = ["grilled lamb"]
    path.write_text(json.dumps(content), "utf-8")
    done = call("stats", copy / "official", "--check", "--json", "--draws", 0)
    assert done.returncode == 1
    flags = json.loads(done.stdout)["contradictions"]
    assert {flag["user_id"] for flag in flags} == {"user2"}
    assert {flag["rule"] for flag in flags} == {"traits", "words"}
    assert all("'grilled lamb'" in flag["reason"] for flag in flags)


def test_stats_measures_dialogues(tiny_dataset: Path, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "One two three four"}, {"role": "a", "content": "five"}]
    path = tmp_path / "user0" / "model" / "SD-Books-task-1_dialogue.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"dialogue": turns}))
    done = call("stats", tiny_dataset, "--json", "--dialogues", tmp_path)
    assert json.loads(done.stdout)["diversity"]["dist_1"] == 1
    path.write_text(json.dumps({"dialogue": ["five"]}))
    done = call("stats", tiny_dataset, "--dialogues", tmp_path)
    assert done.returncode == 2
    assert "Accepted: objects with content" in done.stderr
    done = call("stats", tiny_dataset, "--dialogues", tmp_path / "nothing")
    assert done.returncode == 2
