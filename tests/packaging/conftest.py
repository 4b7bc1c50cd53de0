"""Fresh environments: the dependencies are borrowed, but for lm-eval and personamem themselves."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDERS = ("cards", "dataset_builder", "loaders", "tasks")
LEFTOVERS = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info")


def list_variables() -> dict[str, str]:
    """The environment variables, without the one by which the tests find the source tree.

    An editable install leaves metadata in that folder, for which pip takes ours as installed.
    """
    return {key: text for key, text in os.environ.items() if key != "PYTHONPATH"}


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment, in which nothing of the source tree is importable."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        (found,) = (self.folder / "lib").glob("python*/site-packages")
        return found

    def run(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment in its folder; fail unless it exits with 0."""
        finished = self.try_to_run(*words)
        assert finished.returncode == 0, f"{words}\n{finished.stdout}\n{finished.stderr}"
        return finished

    def try_to_run(self, *words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.folder / "bin" / str(words[0])), *map(str, words[1:])],
            cwd=self.folder,
            env={**list_variables(), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            timeout=900,
        )

    def install(self, *words: object) -> None:
        """Install with the running environment's pip, without dependencies."""
        pip = (sys.executable, "-m", "pip", "--python", str(self.python))
        options = ("install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation")
        done = subprocess.run(
            [*pip, *options, *map(str, words)],
            env=list_variables(),
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"


@pytest.fixture(scope="session")
def borrowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of links to the installed packages, without lm-eval, personamem and .pth files."""
    # dill treats modules below a folder of this name as installed, and pickles them by their names.
    folder = tmp_path_factory.mktemp("borrowed") / "site-packages"
    folder.mkdir()
    for path in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not path.name.startswith(("lm_eval", "personamem")) and path.suffix != ".pth":
            (folder / path.name).symlink_to(path)
    return folder


@pytest.fixture(scope="session")
def make_environment(
    borrowed: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Environment]:
    """A function that makes a fresh environment; the dependencies come last on its path."""

    def make(name: str) -> Environment:
        made = Environment(tmp_path_factory.mktemp(name) / "venv")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", made.folder], check=True)
        (made.packages / "zz_borrowed.pth").write_text(f"{borrowed}\n")
        return made

    return make


@pytest.fixture(scope="session")
def copy_tree(
    project_root: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """A function that copies the project: what is built leaves files behind."""

    def copy(name: str) -> Path:
        tree = tmp_path_factory.mktemp(name) / "project"
        for folder in (*FOLDERS, "src"):
            shutil.copytree(project_root / folder, tree / folder, symlinks=True, ignore=LEFTOVERS)
        for file in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(project_root / file, tree / file)
        return tree

    return copy


@pytest.fixture(scope="session")
def distributions(copy_tree: Callable[[str], Path]) -> Path:
    """The folder with the source distribution, and the wheel that was built from it."""
    tree = copy_tree("distributions")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", tree.parent / "out", tree],
        check=True,
        capture_output=True,
    )
    return tree.parent / "out"


@pytest.fixture(scope="session")
def wheel(distributions: Path) -> Path:
    (found,) = distributions.glob("*.whl")
    return found
