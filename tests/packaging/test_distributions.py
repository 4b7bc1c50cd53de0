"""What is distributed: the whole tree as files, and everything that the code imports declared."""

import ast
import re
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from personamem.tasks.models import MODELS
from personamem.tasks.registry import TASKS_FOLDER

FOLDERS = ("cards", "dataset_builder", "loaders", "tasks")


@pytest.fixture(scope="module")
def project(project_root: Path) -> dict[str, Any]:
    text = (project_root / "pyproject.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)["project"]
    return table


def list_files(root: Path) -> set[str]:
    """The files that belong into a wheel, under the names they have there."""
    found = {
        f"personamem/{path.relative_to(root).as_posix()}"
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    return found | {"personamem/__init__.py", "personamem/py.typed"}


@pytest.mark.system
def test_the_wheel_holds_the_files_of_the_tree_and_no_others(
    project_root: Path, wheel: Path
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        infos = [info for info in archive.infolist() if ".dist-info/" not in info.filename]
    assert {info.filename for info in infos} == list_files(project_root)
    # The high half of the attributes is the mode; a link would hold its target as its content.
    assert {(info.external_attr >> 16) & 0o170000 for info in infos} == {0o100000}


@pytest.mark.system
def test_the_source_distribution_holds_files_and_no_links(
    project_root: Path, distributions: Path
) -> None:
    (path,) = distributions.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        members = archive.getmembers()
    assert all(member.isfile() or member.isdir() for member in members)
    names = {member.name.partition("/src/")[2] for member in members if member.isfile()}
    assert {name for name in names if name.startswith("personamem/")} == list_files(project_root)


def test_lm_evals_entry_points_are_our_models_and_tasks(project: dict[str, Any]) -> None:
    points = project["entry-points"]
    assert points["lm_eval.models"] == {name: place for name, (place, _) in MODELS.items()}
    assert points["lm_eval.tasks"] == {"personamem": "personamem.tasks"}
    assert list(TASKS_FOLDER.glob("**/personamem_4k.yaml"))


def test_the_entry_point_of_inspect_is_a_list_of_imports(
    project: dict[str, Any], project_root: Path
) -> None:
    module = project["entry-points"]["inspect_ai"]["personamem"]
    path = project_root / f"{module.removeprefix('personamem.').replace('.', '/')}.py"
    _, *lines = ast.parse(path.read_text(encoding="utf-8")).body
    assert lines
    assert all(isinstance(line, ast.Import | ast.ImportFrom) for line in lines)


def test_packages_whose_internals_are_used_are_bounded_from_above(
    project: dict[str, Any],
) -> None:
    extras = project["optional-dependencies"]
    declared = [*project["dependencies"], *(each for extra in extras.values() for each in extra)]
    for name in ("lm-eval", "inspect-ai", "torch", "transformers", "vllm"):
        versions = [each for each in declared if re.match(rf"{name}(\[\w+\])?>=", each)]
        assert versions, name
        assert all(",<" in version for version in versions), versions


LENS_RESULTS = "dataset_builder/families/personalens/results"


def test_every_requirement_of_the_code_is_declared(
    project: dict[str, Any], project_root: Path
) -> None:
    """Top-level imports of installed code are the declared dependencies or of the library."""
    always = name_imports(project["dependencies"])
    # A model is only imported where its own extra is installed.
    extras = project["optional-dependencies"]
    for_models = name_imports([*extras["hf"], *extras["vllm"]])
    # inspect-ai imports its tasks itself, or nobody does.
    for_inspect = name_imports(extras["inspect"])
    for folder in FOLDERS:
        for path in (project_root / folder).rglob("*.py"):
            if path.parent == project_root / "loaders/memory/programs":
                # They run in environments of their own, which know nothing of ours.
                assert "personamem" not in set(imports_of(path))
                continue
            is_model = path.is_relative_to(project_root / "tasks/models")
            is_of_inspect = (
                path.parent.name in ("inspection", "dialogues")
                or path.stem in ("inspect_tasks", "inspect_judging", "lens_run")
                or path.parent == project_root / LENS_RESULTS
            )
            declared = always | (
                for_models if is_model else for_inspect if is_of_inspect else set()
            )
            undeclared = set(imports_of(path)) - declared - set(sys.stdlib_module_names)
            assert not undeclared, f"{path.relative_to(project_root)} imports {undeclared}"


def imports_of(path: Path) -> Iterator[str]:
    """The packages that a module imports when it is imported."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def name_imports(requirements: list[str]) -> set[str]:
    """The names under which requirements are imported."""
    names = {
        re.split(r"[\[>=<~! ]", requirement, maxsplit=1)[0].lower().replace("-", "_")
        for requirement in requirements
    }
    imported_as = {"pyyaml": "yaml", "scikit_learn": "sklearn"}
    return {imported_as.get(name, name) for name in names} | {"personamem"}
