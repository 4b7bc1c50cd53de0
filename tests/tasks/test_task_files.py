"""The YAML files: every size, condition and way of answering has its task, and the groups exist."""

from itertools import product
from pathlib import Path

import pytest
import yaml

from personamem.loaders.formats.schema import SIZES
from personamem.loaders.personabench.schema import NOISE_SPLITS

CONDITIONS = {"": "full", "_nocontext": "nocontext", "_oracle": "oracle", "_rag": "rag"}
NAMES = [f"personamem_{s}{c}{ll}" for s, c, ll in product(SIZES, CONDITIONS, ("", "_ll"))]

OPEN_CONDITIONS = {
    **{"": "full", "_full": "full"},
    **{f"_{condition}": condition for condition in ("gt", "rag", "nocontext")},
}
OPEN_NAMES = {
    f"personabench_{split}{suffix}": (split, condition)
    for split, (suffix, condition) in product(NOISE_SPLITS, OPEN_CONDITIONS.items())
}
OPEN_GROUPS = ("personabench", "personabench_gt", "personabench_rag")


def test_lm_eval_finds_all_tasks_and_groups_and_nothing_else(tasks_folder: Path) -> None:
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(tasks_folder), include_defaults=False)
    assert sorted(manager.all_subtasks) == sorted([*NAMES, *OPEN_NAMES])
    assert sorted(manager.all_groups) == [*OPEN_GROUPS, "personamem", "personamem_ll"]


@pytest.mark.parametrize("name", NAMES)
def test_a_tasks_file_says_what_its_name_says(tasks_folder: Path, name: str) -> None:
    config = yaml.safe_load((tasks_folder / f"{name}.yaml").read_text(encoding="utf-8"))
    _, size, *rest = name.split("_")
    condition = next((part for part in rest if part != "ll"), "full")
    assert config == {
        "include": "_ll.yaml" if "ll" in rest else "_generate.yaml",
        "task": name,
        "test_split": size,
        "dataset_kwargs": {"condition": condition},
    }


@pytest.mark.parametrize("group", ["personamem", "personamem_ll"])
def test_a_groups_tasks_are_the_official_sizes(tasks_folder: Path, group: str) -> None:
    config = yaml.safe_load((tasks_folder / f"{group}.yaml").read_text(encoding="utf-8"))
    suffix = group.removeprefix("personamem")
    assert config["task"] == [f"personamem_{size}{suffix}" for size in ("32k", "128k", "1M")]
    assert all(metric["weight_by_size"] for metric in config["aggregate_metric_list"])


@pytest.mark.parametrize("name", OPEN_NAMES)
def test_an_open_tasks_file_says_what_its_name_says(tasks_folder: Path, name: str) -> None:
    config = yaml.safe_load((tasks_folder / f"{name}.yaml").read_text(encoding="utf-8"))
    split, condition = OPEN_NAMES[name]
    assert config == {
        "include": "_open.yaml",
        "task": name,
        "test_split": split,
        "dataset_kwargs": {"condition": condition},
    }


@pytest.mark.parametrize("group", OPEN_GROUPS)
def test_an_open_groups_tasks_are_the_noise_levels(tasks_folder: Path, group: str) -> None:
    config = yaml.safe_load((tasks_folder / f"{group}.yaml").read_text(encoding="utf-8"))
    suffix = group.removeprefix("personabench")
    assert config["task"] == [f"personabench_{split}{suffix}" for split in NOISE_SPLITS]
    metrics = config["aggregate_metric_list"]
    assert [metric["metric"] for metric in metrics] == ["recall", "f1", "unparsable"]
    assert all(metric["weight_by_size"] for metric in metrics)
