"""A dataset folder is there as a whole, whenever a build ends."""

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from personamem.dataset_builder.core.whole_folders import check_folder, stage_folder
from personamem.loaders import load_personamem
from personamem.loaders.formats.errors import DatasetNotFoundError, InvalidInputError
from personamem.loaders.formats.whole_files import NoRoomError


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def build(out: Path, name: str, overwrite: bool = False) -> None:
    with stage_folder(out, overwrite) as stage:
        (stage / name).write_text(name)


def test_the_folder_appears_when_all_is_written(tmp_path: Path) -> None:
    out = tmp_path / "a" / "data"
    with stage_folder(out, overwrite=False) as stage:
        (stage / "file").write_text("x")
        assert not out.exists()
    assert (out / "file").read_text() == "x"
    assert list_names(out.parent) == [".data.lock", "data"]


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "data"

    def fail() -> None:
        with stage_folder(out, overwrite=False) as stage:
            (stage / "file").write_text("x")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list_names(tmp_path) == [".data.lock"]


def test_what_a_killed_build_left_is_cleared_away(tmp_path: Path) -> None:
    out = tmp_path / "data"
    left = tmp_path / ".data.partial"
    left.mkdir()
    (left / "old").write_text("x")
    with stage_folder(out, overwrite=False) as stage:
        assert list(stage.iterdir()) == []
        (stage / "new").write_text("y")
    assert list_names(out) == ["new"]


def test_a_folder_with_content_is_kept_unless_told_otherwise(tmp_path: Path) -> None:
    out = tmp_path / "data"
    out.mkdir()
    (out / "mine").write_text("x")
    with pytest.raises(InvalidInputError, match="not empty"):
        build(out, "new")
    assert (out / "mine").exists()
    build(out, "new", overwrite=True)
    assert list_names(out) == ["new"]
    assert list_names(tmp_path) == [".data.lock", "data"]


def test_a_link_keeps_its_name_and_its_target_is_replaced(tmp_path: Path) -> None:
    build(tmp_path / "disk" / "data", "old")
    (tmp_path / "link").symlink_to(tmp_path / "disk" / "data")
    build(tmp_path / "link", "new", overwrite=True)
    assert (tmp_path / "link").is_symlink()
    assert list_names(tmp_path / "disk" / "data") == ["new"]
    assert list_names(tmp_path / "disk") == [".data.lock", "data"]


def test_a_file_in_the_way_and_a_second_builder_are_named(tmp_path: Path) -> None:
    out = tmp_path / "data"
    with stage_folder(out, overwrite=False), pytest.raises(InvalidInputError, match="Another proc"):
        build(out, "new")
    (tmp_path / "file").write_text("x")
    for use in (
        lambda: build(tmp_path / "file", "x", True),
        lambda: check_folder(tmp_path / "file", True),
    ):
        with pytest.raises(InvalidInputError, match="is a file"):
            use()


def test_a_full_disk_is_named_and_the_old_folder_stays(tmp_path: Path) -> None:
    out = tmp_path / "data"
    build(out, "old")

    def fill() -> None:
        with stage_folder(out, overwrite=True):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(NoRoomError, match=r"data cannot be written: No space left on device\. The"):
        fill()
    assert list_names(tmp_path) == [".data.lock", "data"]
    assert list_names(out) == ["old"]


KILLED = """
import os, sys
from pathlib import Path
from personamem.dataset_builder.core.whole_folders import stage_folder
rename, calls = os.replace, []
def replace(*names):
    if len(calls) == int(sys.argv[2]):
        os.kill(os.getpid(), 9)
    calls.append(names)
    rename(*names)
os.replace = replace
with stage_folder(Path(sys.argv[1]), overwrite=True) as stage:
    (stage / "new").write_text("new")
"""


def kill_build(out: Path, renames: int) -> None:
    """Run a build that is killed after so many renames."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(out), str(renames)], check=False)
    assert done.returncode == -signal.SIGKILL


def test_a_build_killed_between_the_renames_loses_nothing(tmp_path: Path) -> None:
    out = tmp_path / "data"
    build(out, "old")
    kill_build(out, renames=1)
    assert list_names(tmp_path) == [".data.lock", ".data.partial", ".data.replaced"]
    # Readers are told where the dataset is.
    with pytest.raises(
        DatasetNotFoundError, match=r"earlier version is in .*/\.data\.replaced: re"
    ):
        load_personamem(out, "4k")
    # A build that may not replace it restores it all the same.
    with pytest.raises(InvalidInputError, match="not empty"):
        build(out, "newer")
    assert list_names(out) == ["old"]
    assert list_names(tmp_path) == [".data.lock", ".data.partial", "data"]


def test_the_check_before_a_build_restores_too(tmp_path: Path) -> None:
    out = tmp_path / "data"
    build(out, "old")
    kill_build(out, renames=1)
    with pytest.raises(InvalidInputError, match="not empty"):
        check_folder(out, overwrite=False)
    assert list_names(out) == ["old"]
    kill_build(out, renames=1)
    build(out, "newer", overwrite=True)
    assert list_names(out) == ["newer"]
    assert list_names(tmp_path) == [".data.lock", "data"]


def test_a_name_with_a_slash_is_not_looked_for_at_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(tmp_path / "sets" / "data", "old")
    kill_build(tmp_path / "sets" / "data", renames=1)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DatasetNotFoundError, match=r"earlier version is in .*/\.data\.replaced"):
        load_personamem("sets/data", "4k")


def test_what_was_put_in_the_place_of_a_dataset_is_not_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "data"
    build(out, "old")
    kill_build(out, renames=1)
    out.mkdir()
    (out / "mine").write_text("x")
    with pytest.raises(InvalidInputError, match="not empty"):
        build(out, "newer")
    assert list_names(out) == ["mine"]
    assert list_names(tmp_path / ".data.replaced") == ["old"]
