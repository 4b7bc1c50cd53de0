"""``link_tasks``: links that lm-eval's index follows, and nothing of others touched."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from typer.testing import CliRunner

from personamem.dataset_builder.cli.app import app
from personamem.loaders.formats.errors import InvalidInputError, PersonamemError
from personamem.tasks import linking
from personamem.tasks.registry import TASKS_FOLDER, list_task_families

run = CliRunner().invoke


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """An lm-eval with one task of its own."""
    task = tmp_path / "lm_eval" / "tasks" / "arc" / "arc.yaml"
    task.parent.mkdir(parents=True)
    task.write_text("task: arc\n")
    (tmp_path / "lm_eval" / "__init__.py").touch()
    return tmp_path / "lm_eval"


@pytest.fixture
def folder(package: Path) -> Path:
    return package / "tasks" / "personamem"


def list_tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@contextmanager
def being_nobody() -> Iterator[None]:
    """Without the rights of root, for whom every folder can be written."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_the_folder_is_in_the_tasks_of_the_lm_eval_that_python_finds(
    package: Path, folder: Path
) -> None:
    assert linking.locate_links(PathFinder.find_spec("lm_eval", [str(package.parent)])) == folder


def test_without_an_lm_eval_the_error_says_so() -> None:
    with pytest.raises(InvalidInputError, match="lm-eval is not installed here"):
        linking.locate_links(None)


def test_links_that_outlive_their_lm_eval_are_named(folder: Path, package: Path) -> None:
    linking.link_tasks(folder)
    (package / "__init__.py").unlink()
    spec = PathFinder.find_spec("lm_eval", [str(package.parent)])
    with pytest.raises(InvalidInputError) as raised:
        linking.locate_links(spec)
    assert f"{package} is not lm-eval" in str(raised.value)
    assert "personamem link-tasks --remove" in str(raised.value)


def test_removing_links_that_outlive_their_lm_eval_leaves_no_folder(
    folder: Path, package: Path
) -> None:
    linking.link_tasks(folder)
    (package / "__init__.py").unlink()
    (package / "tasks" / "arc" / "arc.yaml").unlink()
    (package / "tasks" / "arc").rmdir()
    linking.unlink_tasks(folder)
    assert not package.exists()


def test_every_file_of_every_family_is_linked_in_one_folder(folder: Path) -> None:
    count = linking.link_tasks(folder)
    links = {path.name: path for path in folder.iterdir() if path.is_symlink()}
    assert len(links) == count
    for family in list_task_families():
        assert {f"{name}.yaml" for name in family.list_names()} >= {
            name for name in links if name.startswith(f"{family.name}_noise")
        }
        assert f"{family.name}_task.py" in links
        assert all(mode.template in links for mode in family.modes)
    assert all(path.is_file() for path in links.values())
    assert linking.are_linked(folder)


def test_lm_eval_loads_a_linked_task(folder: Path, package: Path, ours: Path) -> None:
    from lm_eval.tasks import TaskManager

    linking.link_tasks(folder)
    manager = TaskManager(
        include_path=package / "tasks", include_defaults=False, metadata={"dataset": str(ours)}
    )
    names = {name for family in list_task_families() for name in family.list_names()}
    assert set(manager.all_tasks) == {"arc", *names}
    (task,) = manager.load(["personamem_4k"])["tasks"].values()
    assert len(task.eval_docs) == 8


def test_linking_again_changes_nothing(folder: Path) -> None:
    linking.link_tasks(folder)
    before = {path.name: path.lstat().st_ino for path in folder.iterdir() if path.is_symlink()}
    linking.link_tasks(folder)
    after = {path.name: path.lstat().st_ino for path in folder.iterdir() if path.is_symlink()}
    assert after == before


def test_stale_links_are_replaced_or_removed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = {name: tmp_path / name for name in ("personamem_4k.yaml", "personamem_2k.yaml")}
    for path in old.values():
        path.write_text("task: old\n")
    with monkeypatch.context() as patch:
        patch.setattr(linking, "list_targets", lambda: old)
        linking.link_tasks(folder)
    assert not linking.are_linked(folder)
    linking.link_tasks(folder)
    assert linking.are_linked(folder)
    assert not os.path.lexists(folder / "personamem_2k.yaml")


def test_removing_leaves_lm_eval_as_it_was(folder: Path, package: Path) -> None:
    before = list_tree(package)
    count = linking.link_tasks(folder)
    assert linking.unlink_tasks(folder) == count
    assert list_tree(package) == before
    assert linking.unlink_tasks(folder) == 0


def test_removing_leaves_files_of_others(folder: Path) -> None:
    linking.link_tasks(folder)
    (folder / "mine.yaml").write_text("task: mine\n")
    (folder / "personamem_4k.yaml").unlink()
    (folder / "personamem_4k.yaml").write_text("task: personamem_4k\n")
    linking.unlink_tasks(folder)
    assert list_tree(folder) == {"mine.yaml", "personamem_4k.yaml"}


def test_a_folder_that_it_did_not_make_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / "mine.yaml").write_text("task: mine\n")
    for act in (linking.link_tasks, linking.unlink_tasks):
        with pytest.raises(InvalidInputError) as raised:
            act(folder)
        assert f"{folder} exists" in str(raised.value)
        assert "--include_path" in str(raised.value)
    assert list_tree(folder) == {"mine.yaml"}


def test_a_link_in_the_place_of_the_folder_is_left_alone(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    folder.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInputError, match="did not make it"):
        linking.link_tasks(folder)
    assert list_tree(tmp_path / "elsewhere") == set()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_file_of_others_in_the_place_of_a_link_is_left_alone(folder: Path, kind: str) -> None:
    linking.link_tasks(folder)
    (folder / linking.RECORD_NAME).write_text("[]\n")
    path = folder / "personamem_4k.yaml"
    if kind == "file":
        path.unlink()
        path.write_text("task: mine\n")
    before = path.read_text(encoding="utf-8")
    with pytest.raises(InvalidInputError, match="in the place of a link"):
        linking.link_tasks(folder)
    assert path.read_text(encoding="utf-8") == before


@pytest.mark.parametrize("made", [0, 1, 20])
def test_a_run_that_was_killed_can_be_finished_and_undone(
    folder: Path, package: Path, made: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = list_tree(package)
    link, count = Path.symlink_to, 0

    def stop_after_some(path: Path, target: Path) -> None:
        nonlocal count
        if count == made:
            raise KeyboardInterrupt
        count += 1
        link(path, target)

    for finish in (linking.link_tasks, linking.unlink_tasks):
        count = 0
        with monkeypatch.context() as patch:
            patch.setattr(Path, "symlink_to", stop_after_some)
            with pytest.raises(KeyboardInterrupt):
                linking.link_tasks(folder)
        finish(folder)
        assert linking.are_linked(folder) is (finish is linking.link_tasks)
        linking.unlink_tasks(folder)
        assert list_tree(package) == before


def test_a_folder_without_a_record_that_is_empty_is_taken(folder: Path) -> None:
    """As a kill before the record was complete leaves it."""
    folder.mkdir()
    (folder / f"{linking.RECORD_NAME}.new").write_text("[")
    linking.link_tasks(folder)
    assert linking.are_linked(folder)


def test_a_folder_that_cannot_be_written_is_one_error(folder: Path) -> None:
    folder.parent.chmod(0o555)
    with being_nobody(), pytest.raises(PersonamemError) as raised:
        linking.link_tasks(folder)
    assert str(raised.value).startswith(f"{folder} cannot be written: Permission denied.")
    assert '--include_path "$(personamem tasks-path)"' in str(raised.value)


def test_links_that_cannot_be_removed_are_one_error(folder: Path) -> None:
    linking.link_tasks(folder)
    folder.chmod(0o555)
    with being_nobody(), pytest.raises(PersonamemError, match="cannot be written: Permission"):
        linking.unlink_tasks(folder)


def test_the_command_links_and_removes(
    folder: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = PathFinder.find_spec("lm_eval", [str(package.parent)])
    monkeypatch.setattr(linking, "find_spec", lambda name: spec)
    count = len(linking.list_targets())
    made = run(app, ["link-tasks"], catch_exceptions=False)
    assert made.output == f"{count} links in {folder}\n"
    assert linking.are_linked(folder)
    removed = run(app, ["link-tasks", "--remove"], catch_exceptions=False)
    assert removed.output == f"{count} links removed from {folder}\n"
    assert not folder.exists()
    again = run(app, ["link-tasks", "--remove"], catch_exceptions=False)
    assert (again.exit_code, again.output) == (0, "No links to remove.\n")


def test_the_command_removes_links_that_outlive_their_lm_eval(
    folder: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linking.link_tasks(folder)
    (package / "__init__.py").unlink()
    spec = PathFinder.find_spec("lm_eval", [str(package.parent)])
    monkeypatch.setattr(linking, "find_spec", lambda name: spec)
    run(app, ["link-tasks", "--remove"], catch_exceptions=False)
    assert not folder.exists()


def test_the_folder_of_the_tasks_is_printed_alone() -> None:
    assert run(app, ["tasks-path"]).output == f"{TASKS_FOLDER}\n"
