"""lm-eval beside our wheel, installed from its wheel or editable: it works, and finds our tasks."""

import importlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from importlib.metadata import distribution
from pathlib import Path, PurePath

import pytest
from tiny_dataset import write_ours

from personamem.tasks.registry import list_task_families

from .conftest import Environment

pytestmark = pytest.mark.system

IMPORT = ("python", "-c", "from lm_eval.tasks import TaskManager")
OUR_NAMES = {name for family in list_task_families() for name in family.list_names()}


def is_wanted(name: str) -> bool:
    """Return whether a file of lm-eval is wanted: all but most of its own 14,000 task files.

    Every start reads them all; one task stands for the others.
    """
    _, _, below = PurePath(name).as_posix().rpartition("lm_eval/tasks/")
    return below == PurePath(name).as_posix() or "/" not in below or below.startswith("hellaswag/")


def install_from_wheel(environment: Environment, scratch: Path) -> None:
    """Put the files there that the wheel of lm-eval put into the running environment."""
    installed = distribution("lm_eval")
    if installed.read_text("direct_url.json"):
        pytest.skip("the running lm-eval is not installed from a wheel")
    for name in installed.files or ():
        if ".." not in name.parts and name.suffix != ".pyc" and is_wanted(str(name)):
            target = environment.packages / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(installed.locate_file(name), target)


def install_editable(environment: Environment, scratch: Path) -> None:
    """Install the source distribution of lm-eval as developers of lm-eval do."""
    version = distribution("lm_eval").version
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", scratch),
            *("--no-build-isolation", "--no-binary", "lm-eval", f"lm-eval=={version}"),
        ],
        capture_output=True,
        text=True,
        timeout=300,
    )
    if done.returncode:
        pytest.skip(f"no source distribution of lm-eval {version}: {done.stderr[-300:]}")
    (archive,) = scratch.glob("lm_eval-*.tar.gz")
    with tarfile.open(archive) as opened:
        wanted = [member for member in opened if is_wanted(member.name)]
        for member in wanted:  # Not extractall: its filter came with Python 3.11.4.
            target = scratch / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            if content := opened.extractfile(member):
                target.write_bytes(content.read())
    environment.install("--editable", archive.with_name(archive.name.removesuffix(".tar.gz")))


once = pytest.mark.parametrize("environment", [install_from_wheel], indirect=True)
"""For what does not depend on how lm-eval is installed."""


@pytest.fixture(scope="module", params=[install_from_wheel, install_editable])
def environment(
    request: pytest.FixtureRequest,
    make_environment: Callable[[str], Environment],
    wheel: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Environment:
    """An environment with lm-eval, into which our wheel was installed after it."""
    made = make_environment("beside")
    request.param(made, tmp_path_factory.mktemp("lm_eval"))
    made.run(*IMPORT)
    made.install(wheel)
    return made


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_ours(tmp_path_factory.mktemp("dataset"))


def find_tasks_folder(environment: Environment) -> Path:
    # Found, but not imported, which takes longer.
    code = "from importlib.util import find_spec; print(find_spec('lm_eval').origin)"
    return Path(environment.run("python", "-c", code).stdout.strip()).with_name("tasks")


def list_tasks(environment: Environment) -> set[str]:
    """The names that lm-eval finds."""
    code = "from lm_eval.tasks import TaskManager; print(*TaskManager().all_tasks)"
    names = set(environment.run("python", "-c", code).stdout.split())
    assert "hellaswag" in names
    return names


def read_listed_tasks(environment: Environment) -> set[str]:
    """The names in the tables that lm-eval prints."""
    listed = environment.run("python", "-m", "lm_eval", "ls", "tasks").stdout
    return {cell.strip() for cell in re.findall(r"^\|([^|]+)\|", listed, flags=re.MULTILINE)}


def run_dummy(environment: Environment, dataset: Path, *words: object) -> str:
    finished = environment.run(
        *("python", "-m", "lm_eval", "--model", "dummy", "--tasks", "personamem_4k"),
        *("--metadata", json.dumps({"dataset": str(dataset)}), *words),
    )
    assert "|personamem_4k" in finished.stdout
    return finished.stderr


def test_no_task_of_lm_eval_has_a_name_of_ours() -> None:
    # The environments lack most of its tasks: all of them are beside the running Python.
    families = {name.partition("_")[0] for name in OUR_NAMES}
    named = re.compile(rf"^(task|group|tag): *({'|'.join(families)})(_|$)", flags=re.MULTILINE)
    (folder,) = importlib.import_module("lm_eval.tasks").__path__
    files = [path for path in Path(folder).rglob("*.yaml") if "personamem" not in path.parts]
    assert len(files) > 1_000
    assert [path for path in files if named.search(path.read_text("utf-8", "replace"))] == []


def test_lm_eval_is_importable_beside_our_wheel(environment: Environment) -> None:
    environment.run(*IMPORT)
    assert not list(environment.packages.glob("lm_eval/tasks/personamem*"))


def test_lm_eval_runs_our_tasks_while_they_are_linked(
    environment: Environment, dataset: Path
) -> None:
    tasks = find_tasks_folder(environment)
    before = set(tasks.iterdir())
    printed = environment.run("personamem", "link-tasks").stdout
    assert printed.endswith(f"links in {tasks / 'personamem'}\n")
    environment.run("personamem", "link-tasks")
    assert read_listed_tasks(environment) >= OUR_NAMES
    assert "WARNING" not in run_dummy(environment, dataset)

    environment.run("personamem", "link-tasks", "--remove")
    assert set(tasks.iterdir()) == before
    assert not list_tasks(environment) & OUR_NAMES


@once
def test_lm_eval_runs_our_tasks_by_their_path(environment: Environment, dataset: Path) -> None:
    path = environment.run("personamem", "tasks-path").stdout.strip()
    assert Path(path) == environment.packages / "personamem" / "tasks"
    assert "WARNING" not in run_dummy(environment, dataset, "--include_path", path)


@once
@pytest.mark.parametrize("linked", [False, True])
def test_personamem_eval_finds_the_tasks_once(
    environment: Environment, dataset: Path, linked: bool
) -> None:
    environment.run("personamem", "link-tasks", *([] if linked else ["--remove"]))
    done = environment.run("personamem", "eval", dataset, "--split", "4k", "--model", "dummy")
    assert "|personamem_4k" in done.stdout
    assert "overrides" not in done.stderr


def test_where_links_cannot_be_written_the_error_says_what_works(
    environment: Environment,
) -> None:
    environment.run("personamem", "link-tasks", "--remove")
    folder = find_tasks_folder(environment) / "personamem"
    folder.mkdir()
    (folder / "mine.yaml").touch()
    try:
        done = environment.try_to_run("personamem", "link-tasks")
    finally:
        shutil.rmtree(folder)
    assert done.returncode == 2
    assert f"{folder} exists, and personamem link-tasks did not make it" in done.stderr
    assert '--include_path "$(personamem tasks-path)"' in done.stderr
