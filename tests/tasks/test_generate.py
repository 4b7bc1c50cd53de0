"""The YAML files: written from the table of families, all of them, and read as it says."""

from pathlib import Path
from typing import Any

import pytest

from personamem.tasks.families import Mode, TaskFamily
from personamem.tasks.generate import render_files, write_files
from personamem.tasks.registry import TASKS_FOLDER, list_task_families

FAMILY = TaskFamily(
    name="colours",
    splits=("dark", "light"),
    grouped_splits=("light",),
    conditions=("all", "none"),
    modes=(Mode("", "_write_yaml", ("acc",)), Mode("ll", "_rank_yaml", ())),
)


def read_folder(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.yaml")}


@pytest.fixture(scope="module")
def manager() -> Any:
    from lm_eval.tasks import TaskManager

    return TaskManager(include_path=TASKS_FOLDER, include_defaults=False)


@pytest.mark.parametrize("family", list(list_task_families()), ids=lambda family: family.name)
def test_the_files_of_a_family_are_those_of_the_table(family: TaskFamily) -> None:
    assert read_folder(TASKS_FOLDER / family.name) == render_files(family), (
        "run python -m personamem.tasks.generate"
    )


def test_a_task_has_a_file_for_each_split_condition_and_mode() -> None:
    files = render_files(FAMILY)
    tasks = [f"colours_{split}{rest}" for split in FAMILY.splits for rest in ("", "_none")]
    names = ["colours", *tasks]
    assert sorted(files) == sorted(
        f"{name}{ending}.yaml" for name in names for ending in ("", "_ll")
    )
    assert files["colours_dark_none_ll.yaml"].splitlines()[1:] == [
        "include: _rank_yaml",
        "task: colours_dark_none_ll",
        "test_split: dark",
        "dataset_kwargs:",
        "  condition: none",
    ]


def test_the_whole_condition_is_grouped_and_a_control_only_tagged() -> None:
    files = render_files(FAMILY)
    assert files["colours.yaml"].splitlines()[1:] == [
        *("group: colours", "task:", "- colours_light", "aggregate_metric_list:"),
        *("- metric: acc", "  aggregation: mean", "  weight_by_size: true"),
        *("metadata:", "  version: 1.0"),
    ]
    tags = {name: "tag:" in text for name, text in files.items()}
    assert [name for name, tagged in tags.items() if tagged] == [
        "colours_light_none.yaml",
        "colours_light_none_ll.yaml",
    ]
    assert "tag: colours_none_ll\n" in files["colours_light_none_ll.yaml"]


def test_writing_removes_files_that_the_table_no_longer_has(tmp_path: Path) -> None:
    (tmp_path / "colours_dim.yaml").write_text("task: colours_dim\n")
    (tmp_path / "_write_yaml").write_text("output_type: generate_until\n")
    assert write_files(FAMILY, tmp_path) == 10
    assert read_folder(tmp_path) == render_files(FAMILY)
    assert (tmp_path / "_write_yaml").exists()


def test_lm_eval_finds_every_name_of_the_table_and_no_other(manager: Any) -> None:
    assert sorted(manager.all_tasks) == sorted(
        name for family in list_task_families() for name in family.list_names()
    )


def test_every_yaml_file_is_indexed_and_none_hidden_by_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    from lm_eval.tasks import TaskManager

    with caplog.at_level("DEBUG", logger="lm_eval"):
        TaskManager(include_path=TASKS_FOLDER, include_defaults=False)
    messages = [record.getMessage() for record in caplog.records]
    assert any("Built task index" in message for message in messages)
    assert not [message for message in messages if message.startswith("Skip")]


def test_a_family_has_a_group_for_each_mode_and_a_tag_for_each_control(manager: Any) -> None:
    groups, tags = [], []
    for family in list_task_families():
        groups += [family.name_group(family.conditions[0], mode) for mode in family.modes]
        tags += [family.name_group(name, mode) for name in family.controls for mode in family.modes]
    assert manager.all_groups == sorted(groups)
    assert manager.all_tags == sorted(tags)
    rag = manager.task_index["personamem_rag"]
    assert rag.tags == {f"personamem_{size}_rag" for size in ("32k", "128k", "1M")}


def test_a_tag_loads_its_tasks(tiny: Any, tmp_path: Path) -> None:
    from lm_eval.tasks import TaskManager

    for size in ("32k", "128k", "1M"):
        tiny.write_ours(tmp_path, size)
    manager = TaskManager(
        include_path=TASKS_FOLDER, include_defaults=False, metadata={"dataset": str(tmp_path)}
    )
    tasks = manager.load(["personamem_oracle_ll"])["tasks"]
    assert sorted(tasks) == sorted(f"personamem_{size}_oracle_ll" for size in ("32k", "128k", "1M"))
    assert {task.condition for task in tasks.values()} == {"oracle"}


def test_tasks_are_of_the_module_and_have_no_copy_of_it(make_task: Any, ours: Path) -> None:
    from personamem.tasks.personamem.multiple_choice import PersonaMemTask

    assert type(make_task("personamem_4k", ours)) is PersonaMemTask
    assert type(make_task("personamem_4k_rag_ll", ours)) is PersonaMemTask
