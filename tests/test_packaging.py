"""What a user installs: the wheel holds the whole tree, and lm-eval finds the tasks in it."""

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

FOLDERS = {
    "cards": "personamem/cards",
    "dataset_builder": "personamem/dataset_builder",
    "loaders": "personamem/loaders",
    "tasks": "lm_eval/tasks/personamem",
    "tasks/models": "personamem/models",
}
"""Folder in the repository: folder in site-packages."""

LEFTOVERS = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")


def list_files(root: Path) -> set[str]:
    """The files that belong into a wheel, under the names they have there."""
    return {
        f"{FOLDERS[folder]}/{path.relative_to(root / folder).as_posix()}"
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file()
        and path.suffix != ".pyc"
        # The models lie below the tasks, but are installed apart from them.
        and (folder != "tasks" or path.relative_to(root / folder).parts[0] != "models")
    }


def list_tasks(root: Path) -> list[str]:
    """The names of the tasks and groups that the YAML files of ``tasks`` define."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((root / "tasks").glob("*.yaml"))]
    found = [re.findall(r"^(?:task|group): (\w+)$", text, flags=re.MULTILINE) for text in texts]
    return sorted({name for names in found for name in names})


@pytest.fixture(scope="module")
def wheel(project_root: Path, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy: a build leaves files behind in the folder that it builds."""
    scratch = tmp_path_factory.mktemp("wheel")
    folders = [name for name in FOLDERS if "/" not in name]
    for name in (*folders, "pyproject.toml", "README.md", "LICENSE"):
        source = project_root / name
        if source.is_dir():
            shutil.copytree(source, scratch / name, ignore=LEFTOVERS)
        else:
            shutil.copy(source, scratch / name)
    run(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation"),
        *("--outdir", scratch / "out", scratch),
    )
    return next((scratch / "out").glob("personamem-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh virtual environment in which the wheel is installed.

    The dependencies are borrowed from the running environment, but for lm-eval, which is copied:
    the wheel adds a folder to it.
    """
    folder = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    packages = next((folder / "lib").glob("python*")) / "site-packages"

    spec = importlib.util.find_spec("lm_eval")
    assert spec is not None
    assert spec.origin is not None
    shutil.copytree(Path(spec.origin).parent, packages / "lm_eval", ignore=LEFTOVERS)
    shutil.rmtree(packages / "lm_eval" / "tasks" / "personamem", ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--no-deps", "--no-index", wheel)
    # Only now: pip would take a personamem of the running environment for an older installation.
    (packages / "borrowed.pth").write_text(str(Path(spec.origin).parent.parent))
    return python


def test_every_package_of_the_tree_is_listed(project_root: Path) -> None:
    tables = tomllib.loads((project_root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    in_tree = {
        Path(name).parent.as_posix().replace("/", ".")
        for name in list_files(project_root)
        if name.endswith(".py")
    }
    assert set(tables["setuptools"]["packages"]) == in_tree


def test_wheel_holds_the_files_of_the_tree_and_no_others(project_root: Path, wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert names == list_files(project_root)


def test_every_requirement_of_the_code_is_declared(project_root: Path) -> None:
    """Top-level imports of installed code are the declared dependencies or of the library."""
    text = (project_root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    always = name_imports(project["dependencies"])
    # A model is only imported where its own extra is installed.
    for_models = name_imports(
        [
            requirement
            for extra in ("hf", "vllm")
            for requirement in project["optional-dependencies"][extra]
        ]
    )
    for folder in FOLDERS:
        for path in (project_root / folder).rglob("*.py"):
            imported = set(imports_of(path))
            is_model = path.is_relative_to(project_root / "tasks/models")
            declared = always | for_models if is_model else always
            undeclared = imported - declared - set(sys.stdlib_module_names)
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


def test_lm_eval_lists_every_task(project_root: Path, installed: Path, run: Run) -> None:
    listed = run(installed, "-m", "lm_eval", "ls", "tasks", cwd=installed.parent).stdout
    expected = list_tasks(project_root)
    assert "personamem_4k" in expected
    in_tables = {cell.strip() for cell in re.findall(r"^\|([^|]+)\|", listed, flags=re.MULTILINE)}
    assert set(expected) - in_tables == set()


def test_lm_eval_runs_a_task_without_a_model(installed: Path, run: Run, tiny_dataset: Path) -> None:
    finished = run(
        *(installed, "-m", "lm_eval", "--model", "dummy", "--tasks", "personamem_4k"),
        *("--metadata", f'{{"dataset": "{tiny_dataset}"}}'),
        cwd=installed.parent,
    )
    assert "|personamem_4k" in finished.stdout


def test_command_and_modules_come_from_the_wheel(installed: Path, run: Run) -> None:
    assert "build" in run(installed.parent / "personamem", "--help").stdout
    code = (
        "import personamem.cards, personamem.dataset_builder, personamem.loaders;"
        "print(personamem.cards.__file__)"
    )
    printed = run(installed, "-c", code, cwd=installed.parent).stdout
    assert Path(printed.strip()).is_relative_to(installed.parent.parent)
