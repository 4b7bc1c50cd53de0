"""Runs on disk: killed and gone on with, found again, refused where they are another run's."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from memories import Making, Recorder

from personamem.loaders import PersonaMem
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.memory.controls import FullMemory, NoMemory
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.systems import MemoryFactory

pytestmark = pytest.mark.system

HELPERS = Path(__file__).parents[2] / "helpers"


def read_results(folder: Path) -> list[Any]:
    """Return the stored results without the seconds, which no two runs share."""

    def drop_seconds(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: drop_seconds(v) for k, v in value.items() if "seconds" not in k}
        return [drop_seconds(part) for part in value] if isinstance(value, list) else value

    paths = sorted(folder.glob("units/*/progress.json"))
    return [drop_seconds(json.loads(path.read_text())) for path in paths]


def test_ten_kills_change_nothing_and_add_no_session_twice(
    data: PersonaMem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(HELPERS)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    done = subprocess.run(
        [sys.executable, HELPERS / "keeping_memory.py", data.source, killed],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HELPERS), *sys.path])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "10\n"), done.stderr
    factory = MemoryFactory("keeping_memory:KeepingMemory", data)
    runs = run_memory(data, factory, [300, 900], folder=whole)
    assert all(run.is_complete and not run.failures for run in runs)
    assert read_results(killed) == read_results(whole)
    assert not list(killed.rglob("state-*"))


def test_a_finished_run_is_read_and_not_run(data: PersonaMem, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    runs = run_memory(data, Making(FullMemory), [300, 900], folder=folder)

    def refuse() -> FullMemory:
        raise AssertionError("an instance was made")

    again = run_memory(data, Making(refuse), [900], folder=folder)
    assert again == runs


def test_without_save_a_unit_starts_again(data: PersonaMem, tmp_path: Path) -> None:
    class Dying(Recorder):
        def search(self, *arguments: Any) -> list[Any]:
            if len(self.asked) == 3:
                raise KeyboardInterrupt
            return list(super().search(*arguments))

    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run_memory(data, Making(Dying), [300], folder=folder)
    recorders: list[Recorder] = []

    def make() -> Recorder:
        recorders.append(Recorder())
        return recorders[-1]

    runs = run_memory(data, Making(make), [300], folder=folder)
    assert sum(run.adds for run in runs) == sum(len(recorder.added) for recorder in recorders)


def test_a_memory_that_cannot_save_after_all_runs_on(data: PersonaMem, tmp_path: Path) -> None:
    class Unsaved(FullMemory):
        def save(self, folder: Path) -> None:
            raise OSError("read-only")

    runs = run_memory(data, Making(Unsaved), [300], folder=tmp_path / "run")
    failures = [failure for run in runs for failure in run.failures]
    assert len(failures) == len(data.context_ids) / 2
    assert "save failed (OSError: read-only)" in failures[0]
    assert all(run.is_complete for run in runs)


def test_a_dataset_may_be_named_from_here_or_from_the_root(
    data: PersonaMem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path(data.source)
    monkeypatch.chdir(whole.parent)
    folder = tmp_path / "run"
    for source in (whole.name, str(whole)):
        monkeypatch.setattr(data, "source", source)
        run_memory(data, Making(NoMemory), [300], folder=folder)
    monkeypatch.setattr(data, "source", str(tmp_path))
    with pytest.raises(InvalidInputError, match="holds a run with dataset"):
        run_memory(data, Making(NoMemory), [300], folder=folder)


def test_another_run_in_the_folder_is_named(data: PersonaMem, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    run_memory(data, Making(NoMemory), [300], folder=folder)
    with pytest.raises(InvalidInputError, match=r"holds a run with budgets \[300\], not \[500\]"):
        run_memory(data, Making(NoMemory), [500], folder=folder)
    with pytest.raises(InvalidInputError, match=r"holds a run with system 'made', not 'none'"):
        run_memory(data, MemoryFactory("none", data), [300], folder=folder)
    (folder / "run.json").write_text("{")
    with pytest.raises(InvalidInputError, match=r"run.json cannot be read"):
        run_memory(data, Making(NoMemory), [300], folder=folder)
    (tmp_path / "file.txt").write_text("mine")
    with pytest.raises(InvalidInputError, match=r"holds something else. Accepted: a new folder"):
        run_memory(data, Making(NoMemory), [300], folder=tmp_path)


def test_a_finished_run_is_read_where_its_package_is_missing(
    data: PersonaMem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    kept = Making(FullMemory)
    kept.name = "langgraph"
    runs = run_memory(data, kept, [300], folder=folder)
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    assert run_memory(data, MemoryFactory("langgraph", data), [300], folder=folder) == runs
