"""Write the YAML files of the tasks from the table of families.

    python -m personamem.tasks.generate

lm-eval finds a task by a file with its name in it, so every name has a file. What the tasks of a
folder share stands in files that are written by hand and included: they end in ``_yaml``, as
lm-eval's own do, since its index takes every ``*.yaml`` for a task.
"""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import yaml

from personamem.tasks.families import Mode, TaskFamily
from personamem.tasks.registry import TASKS_FOLDER, list_task_families

HEADER = "# Written by python -m personamem.tasks.generate: edit the table, not this file.\n"
VERSION = 1.0
"""Of the groups; the tasks have theirs in the files that they include."""


def render_files(family: TaskFamily) -> dict[str, str]:
    """Return the texts of a family's YAML files by file name."""
    configs: dict[str, Mapping[str, Any]] = {}
    for condition, mode in product(family.conditions, family.modes):
        if condition not in family.controls:
            configs[family.name_group(condition, mode)] = _describe_group(family, condition, mode)
        for split in family.splits:
            name = family.name_task(split, condition, mode)
            configs[name] = _describe_task(family, split, condition, mode)
    return {
        f"{name}.yaml": HEADER + yaml.safe_dump(config, sort_keys=False)
        for name, config in configs.items()
    }


def write_files(family: TaskFamily, folder: Path) -> int:
    """Write a family's YAML files, remove those that it no longer has, and return their number."""
    files = render_files(family)
    for path in folder.glob("*.yaml"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return len(files)


def _describe_task(family: TaskFamily, split: str, condition: str, mode: Mode) -> Mapping[str, Any]:
    listed = condition in family.controls and split in family.grouped_splits
    return {
        "include": mode.template,
        "task": family.name_task(split, condition, mode),
        **({"tag": family.name_group(condition, mode)} if listed else {}),
        "test_split": split,
        "dataset_kwargs": {"condition": condition},
    }


def _describe_group(family: TaskFamily, condition: str, mode: Mode) -> Mapping[str, Any]:
    return {
        "group": family.name_group(condition, mode),
        "task": [family.name_task(split, condition, mode) for split in family.grouped_splits],
        "aggregate_metric_list": [
            {"metric": score, "aggregation": "mean", "weight_by_size": True}
            for score in mode.group_scores
        ],
        "metadata": {"version": VERSION},
    }


def main() -> None:
    """Write the files of every family into its folder."""
    for family in list_task_families():
        folder = TASKS_FOLDER / family.name
        print(f"{write_files(family, folder)} files in {folder}")


if __name__ == "__main__":
    main()
