"""Reading the official release: the mask, strays that are counted, errors that name the fault."""

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_lens import change_json, make_user_task, write_release

from personamem.loaders.formats.errors import DatasetError, DatasetNotFoundError
from personamem.loaders.personalens import Scenario, Situation, load_personalens
from personamem.loaders.personalens.schema import DOMAINS


def test_users_tasks_and_scenarios_are_read(release: Path) -> None:
    data = load_personalens(release)
    assert [profile.user_id for profile in data.profiles] == ["user0", "user1"]
    assert data.profiles[0].interests == ("Books", "Games")
    assert len(data.tasks) == 21
    situation = Situation("Leeds, United Kingdom", "Tablet", "Morning", "Friday", "Quiet")
    assert data.scenarios == (
        Scenario("user0", "SD-Books-task-1", situation),
        Scenario("user0", "SD-Games-task-1", situation),
        Scenario("user0", "MD-task-1", situation),
        Scenario("user1", "SD-Books-task-1", situation),
    )
    assert data.strays == {}
    assert data.task_by_id["MD-task-1"].domains == ("Books", "Games")
    assert len(data.preference_types) == 40


def test_the_mask_is_applied_to_preferences(release: Path) -> None:
    profile = load_personalens(release).profiles[1]
    assert len(profile.preferences) == 40
    assert [(p.domain, p.form) for p in profile.masked_preferences()] == [
        ("Books", "single"),
        ("Books", "list"),
    ]


def test_a_release_is_found_in_the_layout_of_its_repository(tmp_path: Path) -> None:
    write_release(tmp_path / "data")
    (tmp_path / "res").mkdir()
    (tmp_path / "data" / "schema.json").rename(tmp_path / "res" / "schema.json")
    for folder in (tmp_path, tmp_path / "data", tmp_path / "data" / "profile"):
        data = load_personalens(folder)
        assert (len(data.profiles), len(data.preference_types)) == (2, 40)


def test_without_schema_and_definitions_tasks_come_from_the_users(tmp_path: Path) -> None:
    release = write_release(tmp_path, schema=False)
    (release / "task").rename(tmp_path / "elsewhere")
    data = load_personalens(release)
    ids = [task.task_id for task in data.tasks]
    assert ids == ["SD-Books-task-1", "SD-Games-task-1", "MD-task-1"]
    assert data.preference_types == ()


PROFILE = "profile/user0/profile.json"


@pytest.mark.parametrize(
    ("file", "keys", "value", "strays"),
    [
        (PROFILE, ["interests", "Buses**"], 1, {"stray keys of interests": 1}),
        (PROFILE, ["affinities", "Books", "Choices"], [], {"empty lists": 1}),
        (
            PROFILE,
            ["affinities", "Books", "Choices"],
            ["Two", "one"],
            {"values that the schema does not have": 1},
        ),
        (
            PROFILE,
            ["affinities", "Books", "Mood"],
            "blue",
            {"types that the schema does not have": 1},
        ),
        (
            "profile/user0/tasks.json",
            ["Task 1", "situations", "Environment"],
            "[Quiet]",
            {"situations with another environment": 1},
        ),
        (
            "profile/user0/tasks.json",
            ["Task 1", "User Intent"],
            "Choose two.",
            {"tasks that differ from their definition": 1},
        ),
        (
            "profile/user1/tasks.json",
            ["Task 2"],
            make_user_task("SD-Games-task-1", ["Games"]),
            {"tasks in masked domains": 1},
        ),
        ("profile/user0/tasks_md.json", [], {}, {"tasks that users lack": 1}),
    ],
)
def test_strays_are_tolerated_and_counted(
    release: Path, file: str, keys: list[str], value: Any, strays: dict[str, int]
) -> None:
    before = load_personalens(release)
    if keys:
        change_json(release / file, *keys, value=value)
    else:
        (release / file).write_text(json.dumps(value))
    data = load_personalens(release)
    assert data.strays == strays
    assert len(data.scenarios) == len(before.scenarios) - ("tasks that users lack" in strays)
    assert data.tasks == before.tasks


@pytest.mark.parametrize(
    ("file", "keys", "value", "message"),
    [
        (PROFILE, ["hobbies"], [], "unknown field 'hobbies'.*Accepted: affinities, demographics"),
        (PROFILE, ["demographics", "shoe"], "41", r"unknown field 'demographics\.shoe'.*gender"),
        (PROFILE, ["demographics", "age"], 31, r"demographics\.age: .*found 31"),
        (PROFILE, ["demographics", "user_id"], "user9", "Accepted: 'user0'"),
        (PROFILE, ["interests", "Gamez"], 1, "unknown domain 'Gamez'.*Did you mean 'Games'"),
        (PROFILE, ["interests", "Games"], 2, r"interests\.Games is 2"),
        (PROFILE, ["affinities", "Film"], {}, "unknown domain 'Film'"),
        (PROFILE, ["affinities", "Books", "Choices"], [1], r"affinities\.Books\.Choices"),
        (PROFILE, ["interactions", "Film"], "", "unknown domain 'Film'"),
        (
            "profile/user0/tasks.json",
            ["Task 1", "situations", "Mood"],
            "good",
            "unknown field 'Task 1.situations.Mood'.*Accepted: Location, Device",
        ),
        (
            "profile/user0/tasks.json",
            ["Task 1", "Mood"],
            "good",
            "unknown field 'Task 1.Mood'.*Accepted: Task Description, User Intent",
        ),
        ("profile/user0/tasks.json", ["Task 1", "Relevant Domains"], ["Film"], "unknown domain"),
        ("profile/user0/tasks.json", ["Task 1", "task_id"], "one", "task_id is 'one'"),
        (
            "profile/user0/tasks.json",
            ["Task 1", "task_id"],
            "SD-Books-task-9",
            "is no task of the release",
        ),
    ],
)
def test_what_cannot_be_read_is_named(
    release: Path, file: str, keys: list[str], value: Any, message: str
) -> None:
    change_json(release / file, *keys, value=value)
    with pytest.raises(DatasetError, match=message) as caught:
        load_personalens(release)
    assert str(release / file) in str(caught.value)


def test_missing_and_broken_files_are_named(release: Path, tmp_path: Path) -> None:
    tasks = release / "task" / "Books" / "task.jsonl"
    tasks.write_text('{"Task Number": "1"}\n')
    with pytest.raises(DatasetError, match=r"task\.jsonl, line 1"):
        load_personalens(release)
    tasks.write_text("{\n")
    with pytest.raises(DatasetError, match=r"task\.jsonl, line 1 is not valid"):
        load_personalens(release)
    (release / "profile" / "user1" / "tasks.json").unlink()
    tasks.unlink()
    with pytest.raises(DatasetError, match=r"task\.jsonl is missing"):
        load_personalens(release)
    (tmp_path / "empty" / "profile").mkdir(parents=True)
    with pytest.raises(DatasetError, match="holds no users"):
        load_personalens(tmp_path / "empty")
    with pytest.raises(DatasetError, match="is not a PersonaLens release"):
        load_personalens(tmp_path / "release" / "task")
    with pytest.raises(DatasetNotFoundError, match="nowhere"):
        load_personalens(tmp_path / "nowhere")


def test_the_specimen_has_the_counts_of_the_mask_rule(specimen: Path) -> None:
    data = load_personalens(specimen)
    assert len(data.tasks) == 111
    interests = {}
    for number in range(10):
        path = specimen / "profile" / f"user{number}" / "profile.json"
        found = json.loads(path.read_text("utf-8"))["interests"]
        interests[f"user{number}"] = {name for name, value in found.items() if value}
    expected = {
        (user, task_id)
        for user, domains in interests.items()
        for task_id, needed in list_task_domains(specimen)
        if needed <= domains
    }
    assert {(each.user_id, each.task_id) for each in data.scenarios} == expected
    assert len(data.scenarios) == len(expected)


def list_task_domains(specimen: Path) -> list[tuple[str, set[str]]]:
    found = []
    for name in (*DOMAINS, "Multi-Domain"):
        for line in (specimen / "task" / name / "task.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            prefix = "MD" if name == "Multi-Domain" else f"SD-{name}"
            needed = set(row.get("Relevant Domains") or [name])
            found.append((f"{prefix}-task-{row['Task Number']}", needed))
    return found
