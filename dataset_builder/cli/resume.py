"""Answers of an evaluation that has not ended, so that the same command goes on behind the last.

lm-eval's cache of answers is a file that stays. Ours lies in the output folder while a run is under
way, and goes when its results are written: to run again is then to run anew.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from personamem.dataset_builder.core.console import errors
from personamem.loaders.formats.errors import InvalidInputError, PersonamemError


@contextmanager
def keep_answers(output_path: str, identity: str) -> Iterator[str]:
    """Yield the path for lm-eval's ``--use_cache``; drop the answers once results are written.

    Args:
        output_path: lm-eval's: a folder, or the name of a JSON file.
        identity: what tells the model and its arguments from others.

    Raises:
        InvalidInputError: another process runs the same model into the same folder.
        PersonamemError: lm-eval ended without writing results.
    """
    path = Path(output_path)
    folder = path.parent if path.suffix == ".json" else path
    folder.mkdir(parents=True, exist_ok=True)
    answers = folder / f"unfinished_{identity}"
    if os.environ.get("RANK", "0") != "0":
        # Of several processes under a launcher, the first keeps house for all.
        yield str(answers)
        return
    with _lock(answers.with_name(f"{answers.name}.lock")):
        kept = count_answers(answers)
        if kept:
            errors().print(
                f"Going on with an unfinished run: {kept:,} answers are there "
                f"(to start anew, delete {answers}_rank*.db).",
                soft_wrap=True,
            )
        before = _results_in(folder)
        try:
            yield str(answers)
        except BaseException:
            if count_answers(answers):
                errors().print("The answers so far are kept; the same command goes on behind them.")
            raise
        if not _results_in(folder) - before:
            raise PersonamemError(
                f"lm-eval wrote no results into {folder}; its log says why. The answers are kept, "
                "and the same command takes them up."
            )
        for file in answers.parent.glob(f"{answers.name}_rank*"):
            file.unlink(missing_ok=True)


def count_answers(answers: Path) -> int:
    """Return how many requests have an answer in lm-eval's cache files of this name."""
    return sum(_count_rows(file) for file in answers.parent.glob(f"{answers.name}_rank*.db"))


def _count_rows(file: Path) -> int:
    try:
        with sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT COUNT(*) FROM unnamed").fetchone()[0])
    except sqlite3.Error:  # Killed before the table was there.
        return 0


def _results_in(folder: Path) -> set[Path]:
    return set(folder.rglob("*.json"))


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("a") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InvalidInputError(
                f"Another evaluation of the same model is writing into {path.parent}. Wait for it, "
                "or choose another --output_path."
            ) from error
        try:
            yield
        finally:
            path.unlink(missing_ok=True)
