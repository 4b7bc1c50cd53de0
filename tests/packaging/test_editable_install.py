"""``pip install -e .``: a path that every tool reads, so that the folders are the package."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import FOLDERS, Environment

pytestmark = pytest.mark.system


@pytest.fixture(scope="module")
def tree(copy_tree: Callable[[str], Path]) -> Path:
    return copy_tree("editable")


@pytest.fixture(scope="module")
def environment(make_environment: Callable[[str], Environment], tree: Path) -> Environment:
    made = make_environment("editable")
    made.install("--editable", tree)
    return made


def check_imports(environment: Environment, file: Path) -> list[dict[str, Any]]:
    """What pyright says of the imports of a file."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pyright", "--pythonpath", environment.python),
            *("--outputjson", file.name),
        ],
        cwd=file.parent,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    diagnostics: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    return [each for each in diagnostics if "Import" in each.get("rule", "")]


def test_it_is_one_line_with_the_path(environment: Environment, tree: Path) -> None:
    (path,) = environment.packages.glob("__editable__*")
    assert path.suffix == ".pth"
    assert path.read_text().splitlines() == [str(tree / "src")]


def test_an_edited_and_a_new_file_need_no_other_install(
    environment: Environment, tree: Path
) -> None:
    with (tree / "loaders/formats/errors.py").open("a", encoding="utf-8") as file:
        file.write("\nEDITED = 'yes'\n")
    (tree / "cards/added.py").write_text("ADDED = 'yes'\n")
    code = (
        "from personamem.loaders.formats.errors import EDITED\n"
        "from personamem.cards.added import ADDED\n"
        "print(EDITED, ADDED)"
    )
    assert environment.run("python", "-c", code).stdout == "yes yes\n"


def test_the_command_is_installed(environment: Environment, tree: Path) -> None:
    assert environment.run("personamem", "tasks-path").stdout == f"{tree / 'tasks'}\n"


def test_pyright_resolves_every_module(
    environment: Environment, tree: Path, tmp_path: Path
) -> None:
    modules = sorted(
        ".".join(("personamem", *path.relative_to(tree).with_suffix("").parts))
        for folder in FOLDERS
        for path in (tree / folder).rglob("*.py")
        if path.name != "__init__.py"
    )
    assert "personamem.tasks.personamem.multiple_choice" in modules
    file = tmp_path / "everything.py"
    file.write_text("".join(f"import {module}\n" for module in [*modules, "personamem.nowhere"]))
    found = [each["message"] for each in check_imports(environment, file)]
    # The one that does not exist shows that the others were looked for.
    assert found == ['Import "personamem.nowhere" could not be resolved']
