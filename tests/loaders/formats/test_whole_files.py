"""Files are written whole or not at all, and a full disk is named."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.whole_files import (
    NoRoomError,
    name_full_disk,
    prepare_file,
    write_whole,
)


def test_parents_are_made_and_an_old_text_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "report.json"
    write_whole(path, "old")
    write_whole(path, "n\u00e9w\n")
    assert path.read_bytes() == "n\u00e9w\n".encode()
    assert [file.name for file in path.parent.iterdir()] == ["report.json"]


def test_a_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("x")
    write_whole(tmp_path / "whole", "x")
    assert (tmp_path / "whole").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_what_is_no_regular_file_is_written_directly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", tmp_path / "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        write_whole(tmp_path / "pipe", "through\n")
        assert reader.stdout is not None
        assert reader.stdout.read() == "through\n"
    assert not (tmp_path / "pipe").is_file()


def test_places_that_cannot_be_written_are_found_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path, words in (
        (tmp_path, "is a folder"),
        (tmp_path / "file" / "report.json", "cannot be written: "),
    ):
        with pytest.raises(InvalidInputError, match=words):
            prepare_file(path)
    prepare_file(None)
    prepare_file(tmp_path / "new" / "report.json")
    assert list((tmp_path / "new").iterdir()) == []


def limit_size(blocks: int, code: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a program that may write files of so many blocks: a stand-in of a full disk."""
    command = ["bash", "-c", f'ulimit -f {blocks}; exec "$@"', "bash", sys.executable, "-c", code]
    return subprocess.run(
        [*command, *map(str, words)], capture_output=True, text=True, check=False, timeout=60
    )


WRITE = """
import sys
from pathlib import Path
from personamem.loaders.formats.whole_files import NoRoomError, write_whole
try:
    write_whole(Path(sys.argv[1]), "x" * 100_000)
except NoRoomError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    path.write_text("old")
    done = limit_size(8, WRITE, path)
    assert done.stdout.startswith(f"{path} cannot be written: ")
    assert f"The disk of {tmp_path} has " in done.stdout
    assert "Nothing was changed; run the same command again" in done.stdout
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["audit.json"]


def test_a_kill_before_the_rename_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    path.write_text("old")
    code = "import os\nos.replace = lambda *_: os.kill(os.getpid(), 9)\n" + WRITE
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_only_errors_of_a_full_disk_are_translated(tmp_path: Path) -> None:
    for number in (errno.ENOSPC, errno.EDQUOT):
        with (
            pytest.raises(NoRoomError, match="data cannot be written: ") as caught,
            name_full_disk(tmp_path / "data"),
        ):
            raise OSError(number, "no path in here")
        assert isinstance(caught.value.__cause__, OSError)
    with pytest.raises(PermissionError), name_full_disk(tmp_path / "data"):
        raise PermissionError(errno.EACCES, "no")
