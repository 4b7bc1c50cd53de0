"""The answers of an unfinished evaluation, so that the same command continues after the last one.

lm-eval keeps its cache of answers for ever. Ours is in the output folder during a run and is
deleted when the results are written: the next run then starts from nothing.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from personamem.dataset_builder.core.console import errors
from personamem.dataset_builder.core.locks import hold_lock
from personamem.loaders.formats.errors import PersonamemError


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
        # Of several processes under a launcher, the first manages the files for all.
        yield str(answers)
        return
    busy = (
        f"Another evaluation of the same model is writing into {folder}. Wait for it, or choose "
        "another --output_path."
    )
    with hold_lock(folder / f".{answers.name}.lock", busy):
        kept = count_answers(answers)
        if kept:
            errors().print(
                f"Continuing an unfinished run with {kept:,} stored answers "
                f"(to start from nothing, delete {answers}_rank*.db).",
                soft_wrap=True,
            )
        before = _results_in(folder)
        try:
            yield str(answers)
        except BaseException:
            if count_answers(answers):
                errors().print("The answers so far are kept; run the same command to continue.")
            raise
        if not _results_in(folder) - before:
            raise PersonamemError(
                f"lm-eval wrote no results into {folder}; its log says why. The answers are kept; "
                "run the same command to continue."
            )
        for file in answers.parent.glob(f"{answers.name}_rank*"):
            file.unlink(missing_ok=True)


def count_answers(answers: Path) -> int:
    """Return how many requests have an answer in lm-eval's cache files of this name."""
    return sum(_count_rows(file) for file in answers.parent.glob(f"{answers.name}_rank*.db"))


def _count_rows(file: Path) -> int:
    try:
        place = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True)) as database:
            return int(database.execute("SELECT COUNT(*) FROM unnamed").fetchone()[0])
    except sqlite3.Error:  # Killed before the table was there.
        return 0


def _results_in(folder: Path) -> set[Path]:
    return set(folder.rglob("*.json"))
