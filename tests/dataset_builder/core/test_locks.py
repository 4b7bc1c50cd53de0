"""Locks: never two inside at once, and a lock that ends with its process."""

import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from personamem.dataset_builder.core.locks import hold_lock
from personamem.loaders.formats.errors import InvalidInputError


def test_a_held_lock_is_refused_with_the_given_words(tmp_path: Path) -> None:
    with (
        hold_lock(tmp_path / "x.lock", "busy"),
        pytest.raises(InvalidInputError, match=r"^busy$"),
        hold_lock(tmp_path / "x.lock", "busy"),
    ):
        pass
    with hold_lock(tmp_path / "x.lock", "busy"):
        pass


def test_two_are_never_inside_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a delay between opening and locking, a deleted lock file would let two of them in."""
    lock = fcntl.flock

    def lock_late(*arguments: Any) -> None:
        time.sleep(0.002)
        lock(*arguments)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    inside, most, entered = 0, 0, 0
    guard = threading.Lock()

    def contend() -> None:
        nonlocal inside, most, entered
        for _ in range(60):
            try:
                with hold_lock(tmp_path / "x.lock", "busy"):
                    with guard:
                        inside, entered = inside + 1, entered + 1
                        most = max(most, inside)
                    time.sleep(0.001)
                    with guard:
                        inside -= 1
            except InvalidInputError:
                pass

    threads = [threading.Thread(target=contend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert entered > 1
    assert most == 1
    assert (tmp_path / "x.lock").exists()


def test_a_killed_process_holds_no_lock(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\n"
        "from personamem.dataset_builder.core.locks import hold_lock\n"
        "with hold_lock(Path(sys.argv[1]), 'busy'):\n"
        "    print('held', flush=True)\n    time.sleep(60)\n"
    )
    path = tmp_path / "x.lock"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        with pytest.raises(InvalidInputError), hold_lock(path, "busy"):
            pass
        os.kill(process.pid, signal.SIGKILL)
    with hold_lock(path, "busy"):
        pass


def test_a_place_where_no_file_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(InvalidInputError, match=r"file/x\.lock cannot be made or locked"),
        hold_lock(tmp_path / "file" / "x.lock", "busy"),
    ):
        pass
