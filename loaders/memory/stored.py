"""A run on disk: what is done stays done when a run is killed, and readers come back to it.

``RUN/run.json`` says what is run, ``RUN/units/N/progress.json`` how far unit N is, with its
results, and ``RUN/units/N/state-K`` is what the memory saved after K steps. A state is written
before the progress that names it, and older ones are removed afterwards: a run killed anywhere goes
on from a state and a progress that belong together.
"""

import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.whole_files import write_whole
from personamem.loaders.memory.protocol import (
    MemoryFailure,
    MemorySystem,
    call_optional,
    supports,
)
from personamem.loaders.memory.records import read_run, write_run
from personamem.loaders.memory.runner import Progress

SHARE = 10.0
"""A state is saved when ten times as long was worked as saving the last one took."""


class RunFolder:
    """A folder that holds one run."""

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Make the folder, or go on with the run in it, which may have more ``budgets``.

        Raises:
            InvalidInputError: another run is in it, or it cannot be read.
        """
        self.path, self.budgets = path, settings["budgets"]
        known = path / "run.json"
        if known.exists():
            held = _read_json(known)
            for name, value in settings.items():
                if name == "budgets" and set(value) <= set(held.get(name) or ()):
                    self.budgets = held[name]
                elif held.get(name) != value and not (
                    name == "dataset" and _is_same_folder(held.get(name), value)
                ):
                    raise InvalidInputError(
                        f"{path} holds a run with {name} {held.get(name)!r}, not {value!r}. "
                        "Accepted: another folder, or the settings of that run."
                    )
        else:
            if path.exists() and any(path.iterdir()):
                raise InvalidInputError(f"{path} holds something else. Accepted: a new folder.")
            write_whole(known, json.dumps(settings, indent=1) + "\n")

    def open_unit(self, number: int) -> "StoredUnit":
        """Return the place of a unit."""
        return StoredUnit(self.path / "units" / f"{number:04}")


def _is_same_folder(one: Any, other: Any) -> bool:
    """Return whether two names are those of one folder, from here or from the root."""
    return os.path.isdir(one) and os.path.realpath(one) == os.path.realpath(other)


class StoredUnit:
    """One unit's place: its progress and the last state of its memory."""

    def __init__(self, path: Path) -> None:
        self.path, self._is_broken, self._is_finished = path, False, False
        self._seconds, self._saved = 0.0, time.perf_counter()

    @property
    def files(self) -> Path:
        """A folder for the files of the memory itself, empty at each start."""
        return self.path / "files"

    def read(self) -> tuple[Progress | None, Path | None]:
        """Return how far the unit is and the state to load; None where there is none.

        Without a state, a unit that is not at its end has to start again.
        """
        shutil.rmtree(self.files, ignore_errors=True)
        self.files.mkdir(parents=True)
        path = self.path / "progress.json"
        if not path.exists():
            return None, None
        held = _read_json(path)
        self._is_finished = held.get("state") is None
        try:
            runs = [read_run(run) for run in held["runs"]]
            progress = Progress(runs, held["done"], held["has_added"])
            state = self.path / held["state"] if held["state"] else None
        except (KeyError, TypeError) as error:
            raise InvalidInputError(f"{path} is not the progress of a run ({error!r}).") from error
        return progress, state

    def checkpoint(self, system: MemorySystem, progress: Progress) -> None:
        """Save the state of a memory that can, unless that would take more time than it is worth.

        Raises:
            MemoryFailure: it cannot after all; it is not asked again.
        """
        if self._is_broken or not supports(system, "save", "load"):
            return
        started = time.perf_counter()
        if started - self._saved < SHARE * self._seconds:
            return
        state = self.path / f"state-{progress.done}"
        shutil.rmtree(state, ignore_errors=True)
        state.mkdir(parents=True)
        try:
            call_optional(system, "save", state)
        except Exception as error:  # An adapter may raise anything.
            self._is_broken = True
            raise MemoryFailure(f"save failed ({type(error).__name__}: {error})") from error
        self._write(progress, state)
        self._saved = time.perf_counter()
        self._seconds = self._saved - started

    def finish(self, progress: Progress) -> None:
        """Write the results, unless they are written; no state is needed any more."""
        if not self._is_finished:
            self._write(progress, None)
        self._remove_states(None)
        shutil.rmtree(self.files, ignore_errors=True)

    def _write(self, progress: Progress, state: Path | None) -> None:
        value = {
            "done": progress.done,
            "has_added": progress.has_added,
            "state": state.name if state else None,
            "runs": [write_run(run) for run in progress.runs],
        }
        write_whole(self.path / "progress.json", json.dumps(value) + "\n")
        self._remove_states(state)

    def _remove_states(self, but: Path | None) -> None:
        for state in self.path.glob("state-*"):
            if state != but:
                shutil.rmtree(state)


def _read_json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{path} cannot be read: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInputError(f"{path} is not a run of a memory.")
    return value
